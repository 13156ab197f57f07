/** Campaigns of one job, at most: each is a row that its transaction locks. */
const CAMPAIGNS_MOST = 64;

/** Facts up to which campaigns are settled together: a batch's own cost is small beside them then. */
const FACTS_LEAST = 256;

/** Where there is more, so that commits stay short. */
const FACTS_MOST = 1_024;

/** Jobs into which what there is to do is divided at least, where `FACTS_LEAST` allows it. */
const JOBS_LEAST = 8;

/** Facts of one campaign from which on counting them is of no use. */
export const COUNTED_MOST = FACTS_MOST;

/**
 * Divides campaigns that have something to look at into jobs. A batch costs both sides as much as some
 * twenty sales before it has settled the first, so that campaigns with little to do share one; whatever is
 * a batch's worth by itself stays alone, so that workers can take it side by side.
 * @param facts how many each campaign has to fold, by its id.
 */
export function packed(facts: ReadonlyMap<string, number>): readonly (readonly string[])[] {
  const total = [...facts.values()].reduce((sum, count) => sum + count, 0);
  const room = Math.min(FACTS_MOST, Math.max(FACTS_LEAST, Math.ceil(total / JOBS_LEAST)));
  const jobs: (readonly string[])[] = [];
  let job: string[] = [];
  let taken = 0;
  for (const [campaignId, count] of facts) {
    const fits = taken + count <= room && job.length < CAMPAIGNS_MOST;
    if (job.length > 0 && !fits) {
      jobs.push(job);
      job = [];
      taken = 0;
    }
    job.push(campaignId);
    taken += count;
  }
  if (job.length > 0) jobs.push(job);
  return jobs;
}
