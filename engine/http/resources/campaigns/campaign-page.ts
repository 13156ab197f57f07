import { z } from 'zod';
import type { ChainMeta } from '../../../contract/envelope.ts';
import type { CampaignSummary } from '../../../contract/shapes/campaign.ts';
import type {
  CampaignCursor,
  CampaignPage,
  CampaignSort,
} from '../../../db/read/campaigns/list.ts';
import type { ReadHead } from '../../../db/read/snapshot.ts';
import type { ServedDeployment } from '../../deps.ts';
import { chainMeta, type MethodResult } from '../../handler-types.ts';
import {
  type CursorScope,
  cursorAmount,
  cursorId,
  decodeCursor,
  encodeCursor,
} from '../../input/cursor.ts';
import { campaignSummary } from '../../render/campaign.ts';

/** Positions by type of the sort key: only the budget is an amount, the others are ledger integers. */
const positions = {
  integer: z.tuple([cursorId, cursorId]),
  amount: z.tuple([cursorAmount, cursorId]),
};

/** Position at which the previous page of campaigns ended. */
export function campaignCursorOf(
  scope: CursorScope,
  sort: CampaignSort,
): CampaignCursor | undefined {
  const position = decodeCursor(scope, sort === 'budget' ? positions.amount : positions.integer);
  return position && { key: position[0], campaignId: position[1] };
}

/** Response with a page of campaigns. */
export function campaignPage(
  deployment: ServedDeployment,
  head: ReadHead,
  { items, next, total }: CampaignPage,
  scope: CursorScope,
): MethodResult<{
  items: z.infer<typeof CampaignSummary>[];
  nextCursor: string | null;
  total: number;
}> & { readonly chain: ChainMeta } {
  const newest = items.length === 0 ? undefined : Math.max(...items.map((one) => one.newestBlock));
  return {
    data: {
      items: items.map((campaign) => campaignSummary(deployment, campaign)),
      nextCursor: next && encodeCursor(scope, [next.key, next.campaignId]),
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
