import { setTimeout } from 'node:timers/promises';

/** Wakes a loop that waits; remembers signals raised while nothing is waiting. */
export class WakeSignal {
  #wake: (() => void) | undefined;
  #raised = false;

  raise(): void {
    this.#raised = true;
    this.#wake?.();
  }

  /** Resolves at the next signal, or after some milliseconds. */
  async wait(milliseconds: number): Promise<void> {
    const timer = new AbortController();
    if (!this.#raised) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(milliseconds, undefined, { signal: timer.signal }).then(resolve, () => {});
      });
    }
    timer.abort();
    this.#wake = undefined;
    this.#raised = false;
  }
}

/** A loop of a worker. */
export interface Loop {
  /** Ends the loop after its present step. */
  readonly signal: AbortSignal;
  /** Wakes it. */
  readonly wakeSignal: WakeSignal;
  /** Milliseconds that it waits for a signal. */
  readonly pollMs: number;
  /** Called with what a step throws. */
  readonly onError: (error: unknown) => void;
}

/** Repeats a step: immediately while it finds something, and otherwise at the next signal. */
export async function repeat(
  { signal, wakeSignal, pollMs, onError }: Loop,
  step: () => Promise<boolean>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await step()) continue;
    } catch (error) {
      onError(error);
    }
    await wakeSignal.wait(pollMs);
  }
}
