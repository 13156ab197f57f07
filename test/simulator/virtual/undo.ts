/** Changes in the order they were made, so that a reverted call or an orphaned block can be undone. */
export class UndoLog {
  #steps: (() => void)[] = [];
  #forgotten = 0;

  /** Sets a property, and remembers its previous value. */
  set<T extends object, K extends keyof T>(target: T, key: K, value: T[K]): void {
    const before = target[key];
    this.#steps.push(() => {
      target[key] = before;
    });
    target[key] = value;
  }

  /** Sets an entry of a map, and remembers the previous one. */
  put<K, V>(map: Map<K, V>, key: K, value: V): void {
    const before = map.get(key);
    this.#steps.push(() => {
      if (before === undefined) map.delete(key);
      else map.set(key, before);
    });
    map.set(key, value);
  }

  /** Appends to a list. */
  push<T>(list: T[], item: T): void {
    this.#steps.push(() => {
      list.pop();
    });
    list.push(item);
  }

  /** The number of changes so far: what `backTo` takes. */
  mark(): number {
    return this.#forgotten + this.#steps.length;
  }

  /** Undoes all changes after a mark, the newest first. @throws RangeError if they were forgotten. */
  backTo(mark: number): void {
    if (mark < this.#forgotten) throw new RangeError('these changes cannot be undone any more');
    while (this.mark() > mark) this.#steps.pop()?.();
  }

  /** Forgets how to undo changes before a mark. */
  discardBefore(mark: number): void {
    const count = Math.max(0, Math.min(mark - this.#forgotten, this.#steps.length));
    this.#steps = this.#steps.slice(count);
    this.#forgotten += count;
  }
}
