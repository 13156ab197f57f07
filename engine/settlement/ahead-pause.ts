/** Milliseconds without another try, because a batch that is rolled back is folded twice. */
const PAUSE_MS = 60_000;

/** Remembers that a batch ahead of its check was rolled back: the RPC is slow, or something is wrong. */
export class AheadPause {
  #until = Number.NEGATIVE_INFINITY;

  /**
   * @param onRollback called with the reason of each batch that was rolled back.
   * @param clock milliseconds of a monotonic clock.
   */
  constructor(
    private readonly onRollback: (error: unknown) => void,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  isOver(): boolean {
    return this.clock() >= this.#until;
  }

  begin(error: unknown): void {
    this.onRollback(error);
    this.#until = this.clock() + PAUSE_MS;
  }
}
