/** A value that is read with one query for all concurrent callers. */
export class SharedRead<T> {
  #last: T | undefined;
  #running: Promise<T> | undefined;
  #waiting: Promise<T> | undefined;

  constructor(readonly read: () => Promise<T>) {}

  /** Newest known value, which is from some time before now. */
  get last(): T | undefined {
    return this.#last;
  }

  /**
   * Value that is read after this call. A query that is already running may be older than what the
   * caller knows, so the caller shares the next query instead.
   */
  next(): Promise<T> {
    if (this.#running === undefined) return this.#take();
    this.#waiting ??= this.#running.then(nothing, nothing).then(() => this.#take());
    return this.#waiting;
  }

  #take(): Promise<T> {
    this.#waiting = undefined;
    const taking = this.read()
      .then((value) => {
        this.#last = value;
        return value;
      })
      .finally(() => {
        if (this.#running === taking) this.#running = undefined;
      });
    this.#running = taking;
    return taking;
  }
}

function nothing(): void {}
