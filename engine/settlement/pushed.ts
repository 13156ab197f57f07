/** Milliseconds after which a campaign that stands where it stood is pushed again. */
const AGAIN_MS = 2_000;

/** Where a campaign stood when it was pushed, and when that was. */
type Last = ReadonlyMap<string, { readonly standing: string; readonly at: number }>;

/**
 * What a feeder has pushed of late. Each look finds every campaign that is behind, and one that still
 * waits for its turn needs no second push: the queue would take a lock for each of them, for which
 * workers that finish a job wait. What is pushed anew is what stands elsewhere by now, and, so that a
 * job or a whole queue may be lost, all the rest after `AGAIN_MS`.
 */
export class Pushed {
  #last: Last = new Map();

  /**
   * Of campaigns that are behind, those to push now; they count as pushed.
   * @param standings where each stands, by its id. One that is not named is forgotten.
   * @param now milliseconds of any clock that does not go back.
   */
  take(standings: ReadonlyMap<string, string>, now: number): string[] {
    const next = new Map<string, { standing: string; at: number }>();
    const taken: string[] = [];
    for (const [campaignId, standing] of standings) {
      const last = this.#last.get(campaignId);
      const waits = last?.standing === standing && now - last.at < AGAIN_MS;
      next.set(campaignId, { standing, at: waits ? last.at : now });
      if (!waits) taken.push(campaignId);
    }
    this.#last = next;
    return taken;
  }
}
