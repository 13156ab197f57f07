import {
  type BatchResult,
  type SettleOptions,
  settleCampaigns,
} from '../../engine/settlement/settle-campaigns.ts';

/** What a feeder pushes to, and what it has pushed. */
export class PushedJobs {
  readonly jobs: (readonly string[])[] = [];

  async push(jobs: readonly (readonly string[])[]): Promise<void> {
    this.jobs.push(...jobs);
  }

  get campaignIds(): string[] {
    return this.jobs.flat();
  }
}

/** One tick at the campaigns of a job, as a worker has it: automatically where that fails together. */
export async function settleJob(
  options: SettleOptions,
  campaignIds: readonly string[],
): Promise<readonly BatchResult[]> {
  try {
    return await settleCampaigns(options, campaignIds);
  } catch (error) {
    if (campaignIds.length < 2) throw error;
    const settled: BatchResult[] = [];
    for (const id of campaignIds) settled.push(...(await settleCampaigns(options, [id])));
    return settled;
  }
}

/** One tick at one campaign. */
export async function settleCampaign(
  options: SettleOptions,
  campaignId: string,
): Promise<BatchResult> {
  const [settled] = await settleCampaigns(options, [campaignId]);
  if (settled === undefined) throw new Error(`campaign ${campaignId} was not looked at`);
  return settled;
}
