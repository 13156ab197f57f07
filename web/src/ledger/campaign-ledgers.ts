import { api, type DataOf, type Reply, type RequestOptions } from '../api.ts';

/** A campaign, and what its sales add up to, both as of one block: else they need not agree. */
export interface CampaignLedgers {
  readonly campaign: DataOf<typeof api.campaigns.get>;
  readonly stats: DataOf<typeof api.campaigns.stats>;
}

/** Reads both as of the block that the first was answered for, or of the block that is named. */
export async function campaignLedgers(
  campaignId: string,
  options: RequestOptions,
  atBlock?: string,
): Promise<Reply<CampaignLedgers>> {
  const first = await api.campaigns.get({ campaignId, atBlock }, options);
  const block = atBlock ?? first.meta.chain?.blockNumber;
  const { data: stats } = await api.campaigns.stats({ campaignId, atBlock: block }, options);
  return { data: { campaign: first.data, stats }, meta: first.meta };
}
