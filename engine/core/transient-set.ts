/**
 * A set of objects that come and go, such as running requests, in the order in which they came. When a `Set` rearranges
 * its table, the table before refers to the new one. If that one is garbage of the old generation, a young collection
 * frees nothing that was in any table since: each request remains until a full collection.
 */
export class TransientSet<T> implements Iterable<T> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** @param item that is not in the set. */
  add(item: T): void {
    this.#items.push(item);
  }

  /** @returns false if the item is not in the set. */
  delete(item: T): boolean {
    const at = this.#items.indexOf(item);
    if (at < 0) return false;
    this.#items.splice(at, 1);
    return true;
  }

  /** Removes all items. @returns them. */
  clear(): readonly T[] {
    return this.#items.splice(0);
  }

  [Symbol.iterator](): ArrayIterator<T> {
    return this.#items.values();
  }
}
