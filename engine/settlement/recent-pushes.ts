/** Milliseconds after which a campaign that made no progress may be pushed again. */
const PUSH_AGAIN_MS = 2_000;

/** The progress of each campaign when it was pushed, and the time of that push. */
type Pushes = ReadonlyMap<string, { readonly progress: string; readonly at: number }>;

/**
 * The feeder's recent pushes. Each tick finds every campaign that is behind; a campaign whose job is
 * still waiting must not be pushed again, because it would be settled twice. A campaign is pushed again
 * if it has made progress. Jobs, or the whole queue, may be lost: so it is also pushed again as soon as
 * no job that old is still waiting, but not before `PUSH_AGAIN_MS`.
 */
export class RecentPushes {
  #last: Pushes = new Map();
  #queueReadAt = Number.NEGATIVE_INFINITY;

  /** @param oldestMs milliseconds that the oldest job has waited; 0 if none waits. */
  constructor(private readonly oldestMs: () => Promise<number>) {}

  /**
   * Returns the campaigns to push now, and records them as pushed.
   * @param behind progress of each campaign that is behind, by its id. All others are forgotten.
   * @param now milliseconds of a monotonic clock.
   */
  async campaignsToPush(behind: ReadonlyMap<string, string>, now: number): Promise<string[]> {
    const expiry = await this.#expiry(behind, now);
    const next = new Map<string, { progress: string; at: number }>();
    const toPush: string[] = [];
    for (const [campaignId, progress] of behind) {
      const last = this.#last.get(campaignId);
      const waits = last?.progress === progress && last.at > expiry;
      next.set(campaignId, { progress, at: waits ? last.at : now });
      if (!waits) toPush.push(campaignId);
    }
    this.#last = next;
    return toPush;
  }

  /**
   * Pushes at or before this time can be repeated: no job that old is still waiting. Asks the queue only
   * if a campaign has made no progress for a while, and not at every tick.
   */
  async #expiry(behind: ReadonlyMap<string, string>, now: number): Promise<number> {
    const late = [...this.#last].some(
      ([campaignId, { progress, at }]) =>
        now - at >= PUSH_AGAIN_MS && behind.get(campaignId) === progress,
    );
    if (!late || now - this.#queueReadAt < PUSH_AGAIN_MS) return Number.NEGATIVE_INFINITY;
    this.#queueReadAt = now;
    return now - PUSH_AGAIN_MS - (await this.oldestMs());
  }
}
