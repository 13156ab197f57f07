interface AttemptsOptions {
  /** Attempts that may run at the same time. */
  readonly limit: number;
  /** Called with the error of an attempt that could not be stored. */
  readonly onError: (error: unknown) => void;
  /** Called when an attempt has ended, so that the next may begin. */
  readonly onEnded: () => void;
}

/** Attempts of one process that are under way. */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #running = new Set<Promise<void>>();

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** Number of attempts that may begin now. */
  get room(): number {
    return this.#options.limit - this.#running.size;
  }

  /** Counts an attempt until it has ended. */
  add(attempt: Promise<void>): void {
    const { onError, onEnded } = this.#options;
    const tracked = attempt.catch(onError).finally(() => {
      this.#running.delete(tracked);
      onEnded();
    });
    this.#running.add(tracked);
  }

  /** Resolves once all attempts have ended. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
