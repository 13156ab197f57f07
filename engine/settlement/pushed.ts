/** Milliseconds after which a campaign that stands where it stood may be pushed again. */
const AGAIN_MS = 2_000;

/** Where a campaign stood when it was pushed, and when that was. */
type Last = ReadonlyMap<string, { readonly standing: string; readonly at: number }>;

/**
 * What a feeder has pushed of late. Each look finds every campaign that is behind, and one that still
 * waits for its turn needs no second push: it would be settled twice, the second time for nothing.
 * What is pushed anew is what stands elsewhere by now, and, so that a job or a whole queue may be lost,
 * all the rest as soon as no job of that age waits any more, and after `AGAIN_MS` at the earliest.
 */
export class Pushed {
  #last: Last = new Map();
  #asked = Number.NEGATIVE_INFINITY;

  /** @param oldestMs how many milliseconds the oldest job waits; 0 where none does. */
  constructor(private readonly oldestMs: () => Promise<number>) {}

  /**
   * Of campaigns that are behind, those to push now; they count as pushed.
   * @param standings where each stands, by its id. One that is not named is forgotten.
   * @param now milliseconds of any clock that does not go back.
   */
  async take(standings: ReadonlyMap<string, string>, now: number): Promise<string[]> {
    const again = await this.#again(standings, now);
    const next = new Map<string, { standing: string; at: number }>();
    const taken: string[] = [];
    for (const [campaignId, standing] of standings) {
      const last = this.#last.get(campaignId);
      const waits = last?.standing === standing && last.at > again;
      next.set(campaignId, { standing, at: waits ? last.at : now });
      if (!waits) taken.push(campaignId);
    }
    this.#last = next;
    return taken;
  }

  /**
   * The time at or before which a push was for nothing, as nothing that old waits any more. The queue
   * is asked where that may matter, and not at every look.
   */
  async #again(standings: ReadonlyMap<string, string>, now: number): Promise<number> {
    const late = [...this.#last].some(
      ([campaignId, { standing, at }]) =>
        now - at >= AGAIN_MS && standings.get(campaignId) === standing,
    );
    if (!late || now - this.#asked < AGAIN_MS) return Number.NEGATIVE_INFINITY;
    this.#asked = now;
    return now - AGAIN_MS - (await this.oldestMs());
  }
}
