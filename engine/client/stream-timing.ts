/** Aborts a connection that says nothing for too long: a cut cable is never told. */
export class Silence {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly milliseconds: number) {
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    this.stop();
    this.#timer = setTimeout(() => this.#controller.abort(), this.milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

export function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Waits, or until the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done);
    if (isAborted(signal)) done();
  });
}
