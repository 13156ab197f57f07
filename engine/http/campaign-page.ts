import { z } from 'zod';
import type { ChainMeta } from '../contract/envelope.ts';
import type { CampaignSummary } from '../contract/shapes/campaign.ts';
import type { CampaignPage, CampaignPlace, CampaignSort } from '../db/read/list-campaigns.ts';
import type { ReadHead } from '../db/read/snapshot.ts';
import { type CursorScope, cursorAmount, cursorId, encodeCursor, placeOf } from './cursor.ts';
import type { ServedDeployment } from './deps.ts';
import { type Answer, chainMeta } from './handler.ts';
import { campaignSummary } from './render/campaign.ts';

/** Only the budget is an amount; the other keys are integers of the ledger. */
const places = {
  integer: z.tuple([cursorId, cursorId]),
  amount: z.tuple([cursorAmount, cursorId]),
};

/** Where the page of campaigns before this one ended. */
export function campaignPlaceOf(
  { method, input }: CursorScope,
  sort: CampaignSort,
): CampaignPlace | undefined {
  const cursor = typeof input.cursor === 'string' ? input.cursor : undefined;
  const shape = sort === 'budget' ? places.amount : places.integer;
  const place = placeOf(method, { ...input, cursor }, shape);
  return place && { key: place[0], campaignId: place[1] };
}

/** A page of campaigns as every list of them answers it. */
export function campaignPage(
  deployment: ServedDeployment,
  head: ReadHead,
  { items, next, total }: CampaignPage,
  scope: CursorScope,
): Answer<{
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
