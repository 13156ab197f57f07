/** Campaigns of one job: each is a row that its transaction locks. */
const MAX_CAMPAIGNS = 64;

/** Facts up to which campaigns always share a job: below this, a batch's own cost dominates. */
const MIN_FACTS = 256;

/** Facts of one job of several campaigns, so that commits stay short. */
const MAX_FACTS = 1_024;

/** Jobs into which the work is divided if `MIN_FACTS` allows it, so that workers can share it. */
const MIN_JOBS = 8;

/** Facts of one campaign that are counted: a campaign with more gets its own job anyway. */
export const MAX_COUNTED = MAX_FACTS;

/**
 * Groups campaigns that have something to settle into jobs. The fixed cost of a batch is that of some
 * twenty sales, so campaigns with little to do share one. A campaign large enough for its own batch gets
 * its own job, so that workers can run in parallel.
 * @param facts number of facts that each campaign has to fold, by campaign id.
 */
export function groupIntoJobs(facts: ReadonlyMap<string, number>): readonly (readonly string[])[] {
  const total = [...facts.values()].reduce((sum, count) => sum + count, 0);
  const room = Math.min(MAX_FACTS, Math.max(MIN_FACTS, Math.ceil(total / MIN_JOBS)));
  const jobs: (readonly string[])[] = [];
  let job: string[] = [];
  let jobFacts = 0;
  for (const [campaignId, count] of facts) {
    const fits = jobFacts + count <= room && job.length < MAX_CAMPAIGNS;
    if (job.length > 0 && !fits) {
      jobs.push(job);
      job = [];
      jobFacts = 0;
    }
    job.push(campaignId);
    jobFacts += count;
  }
  if (job.length > 0) jobs.push(job);
  return jobs;
}
