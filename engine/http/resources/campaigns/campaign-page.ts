import type { z } from 'zod';
import type { ChainMeta } from '../../../contract/envelope.ts';
import type { CampaignSummary } from '../../../contract/shapes/campaign.ts';
import type { CampaignPage, CampaignSort } from '../../../db/read/campaigns/list.ts';
import type { ReadHead } from '../../../db/read/snapshot.ts';
import type { ServedDeployment } from '../../deps.ts';
import { chainMeta, type MethodResult } from '../../handler-types.ts';
import { cursorAmount, cursorId, ListPage, type PageInput } from '../../input/cursor.ts';
import { campaignSummary } from '../../render/campaign.ts';

/** A page of a list of campaigns in an order: only the budget is an amount, other sort keys are ledger integers. */
export function campaignListPage(
  method: 'campaigns.list' | 'merchants.offers',
  input: PageInput,
  sort: CampaignSort,
) {
  return new ListPage(method, input, {
    key: sort === 'budget' ? cursorAmount : cursorId,
    campaignId: cursorId,
  });
}

/** Response with a page of campaigns. */
export function campaignPage(
  deployment: ServedDeployment,
  head: ReadHead,
  { items, next, total }: CampaignPage,
  list: ReturnType<typeof campaignListPage>,
): MethodResult<{
  items: z.infer<typeof CampaignSummary>[];
  nextCursor: string | null;
  total: number;
}> & { readonly chain: ChainMeta } {
  const newest = items.length === 0 ? undefined : Math.max(...items.map((one) => one.newestBlock));
  return {
    data: {
      items: items.map((campaign) => campaignSummary(deployment, campaign)),
      nextCursor: list.cursor(next),
      total,
    },
    chain: chainMeta(
      deployment,
      head,
      newest,
      items.map(({ campaignId }) => campaignId),
    ),
  };
}
