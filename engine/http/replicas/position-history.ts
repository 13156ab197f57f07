/** Milliseconds between two positions that are remembered. */
const MIN_STEP_MS = 50;

/** Positions that are remembered: with the steps between them, more seconds than a replica may be behind. */
const MAX_POSITIONS = 100;

/** A position in the primary's write-ahead log, and a time at which everything committed was in it. */
interface TimedPosition {
  /** Milliseconds of the process's monotonic clock. */
  readonly at: number;
  readonly position: bigint;
}

/**
 * Newest positions of the primary with their times, which tell how old the data of a replica can be. No clock of a
 * server is needed for it.
 */
export class PositionHistory {
  readonly #positions: TimedPosition[] = [];

  /** @param at when the query for the position was sent, in milliseconds of the monotonic clock. */
  note(at: number, position: bigint): void {
    const newest = this.#positions.at(-1);
    if (newest !== undefined && at - newest.at < MIN_STEP_MS) return;
    this.#positions.push({ at, position });
    if (this.#positions.length > MAX_POSITIONS) this.#positions.shift();
  }

  /** Milliseconds within which commits may be missing from what was replayed: at most so long ago. */
  lagMs(replayed: bigint, now: number): number {
    const reached = this.#positions.findLast(({ position }) => position <= replayed);
    return reached === undefined ? Number.POSITIVE_INFINITY : now - reached.at;
  }
}
