import { api, type DataOf } from '../../../api.ts';

type Campaign = DataOf<typeof api.earnings.claimable>['items'][number];

/** Everything that a payout will do: its transactions, and the campaigns that it pays. */
export interface PayoutPlan extends DataOf<typeof api.payouts.prepareAll> {
  /** Campaigns that the claim pays, with what each pays. */
  readonly campaigns: readonly Campaign[];
  /** Block that the plan was made as of: payments after it are those of the plan. */
  readonly block: bigint;
}

/** Campaigns per request. */
const PAGE = 100;

/** Prepares the payout of all rewards of the signed-in account. */
export async function preparePayout(): Promise<PayoutPlan> {
  const { data, meta } = await api.payouts.prepareAll({});
  const ids = new Set(data.campaignIds);
  const campaigns: Campaign[] = [];
  if (ids.size > 0) {
    for await (const item of api.pages(api.earnings.claimable, { limit: PAGE })) {
      if (ids.has(item.campaignId)) campaigns.push(item);
      if (campaigns.length === ids.size) break;
    }
  }
  return { ...data, campaigns, block: BigInt(meta.chain?.blockNumber ?? 0) };
}
