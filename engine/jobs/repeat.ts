import { setTimeout } from 'node:timers/promises';

/** Wakes a loop that waits; a ring while it is busy is remembered. */
export class Bell {
  #wake: (() => void) | undefined;
  #rang = false;

  ring(): void {
    this.#rang = true;
    this.#wake?.();
  }

  /** Resolves at the next ring, or after some milliseconds. */
  async wait(milliseconds: number): Promise<void> {
    const timer = new AbortController();
    if (!this.#rang) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(milliseconds, undefined, { signal: timer.signal }).then(resolve, () => {});
      });
    }
    timer.abort();
    this.#wake = undefined;
    this.#rang = false;
  }
}

/** A loop of a worker. */
export interface Loop {
  /** Ends the loop after its present step. */
  readonly signal: AbortSignal;
  /** Wakes it. */
  readonly bell: Bell;
  /** Milliseconds that it waits for a ring. */
  readonly pollMs: number;
  /** Called with what a step throws. */
  readonly onError: (error: unknown) => void;
}

/** Repeats a step: immediately while it finds something, and otherwise at the next ring. */
export async function repeat(
  { signal, bell, pollMs, onError }: Loop,
  step: () => Promise<boolean>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await step()) continue;
    } catch (error) {
      onError(error);
    }
    await bell.wait(pollMs);
  }
}
