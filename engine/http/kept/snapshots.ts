/** Asks for the database's snapshot, once for all who wait for it. */
export class Snapshots {
  #last: string | undefined;
  #running: Promise<string | undefined> | undefined;
  #waiting: Promise<string | undefined> | undefined;

  constructor(readonly read: () => Promise<string | undefined>) {}

  /** The newest that is known: of some time before now. */
  get last(): string | undefined {
    return this.#last;
  }

  /**
   * One that is taken after this call. Who calls while one is under way cannot have that, for it may
   * be older than what they know of, and shares the one after it.
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
