/** Reads the database's current snapshot, with one query for all concurrent callers. */
export class Snapshots {
  #last: string | undefined;
  #running: Promise<string | undefined> | undefined;
  #waiting: Promise<string | undefined> | undefined;

  constructor(readonly read: () => Promise<string | undefined>) {}

  /** Newest known snapshot, which is from some time before now. */
  get last(): string | undefined {
    return this.#last;
  }

  /**
   * Snapshot that is taken after this call. A query that is already running may be older than what the
   * caller knows, so the caller shares the next query instead.
   */
  next(): Promise<string | undefined> {
    if (this.#running === undefined) return this.#take();
    this.#waiting ??= this.#running.then(nothing, nothing).then(() => this.#take());
    return this.#waiting;
  }

  #take(): Promise<string | undefined> {
    this.#waiting = undefined;
    const taking = this.read()
      .then((snapshot) => {
        this.#last = snapshot;
        return snapshot;
      })
      .finally(() => {
        if (this.#running === taking) this.#running = undefined;
      });
    this.#running = taking;
    return taking;
  }
}

function nothing(): void {}
