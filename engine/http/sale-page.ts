import { z } from 'zod';
import type { ChainMeta } from '../contract/envelope.ts';
import type { ReceiptSummary } from '../contract/shapes/receipt.ts';
import type { SalePage, SalePlace } from '../db/read/list-sales.ts';
import type { ReadHead } from '../db/read/snapshot.ts';
import { type CursorScope, cursorId, encodeCursor, placeOf } from './cursor.ts';
import type { ServedDeployment } from './deps.ts';
import { type Answer, chainMeta } from './handler.ts';
import { receiptSummary } from './render/receipt.ts';

const Place = z.tuple([cursorId, cursorId]);

/** Where the page of sales before this one ended. */
export function salePlaceOf({ method, input }: CursorScope): SalePlace | undefined {
  const cursor = typeof input.cursor === 'string' ? input.cursor : undefined;
  const place = placeOf(method, { ...input, cursor }, Place);
  return place && { saleId: place[0], campaignId: place[1] };
}

/** A page of sales as every list of them answers it. */
export function salePage(
  deployment: ServedDeployment,
  head: ReadHead,
  { items, next }: SalePage,
  scope: CursorScope,
): Answer<{ items: z.infer<typeof ReceiptSummary>[]; nextCursor: string | null }> & {
  readonly chain: ChainMeta;
} {
  const newest = items.length === 0 ? head.number : Math.max(...items.map((s) => s.newestBlock));
  return {
    data: {
      items: items.map((sale) => receiptSummary(deployment, sale, head)),
      nextCursor: next && encodeCursor(scope, [next.saleId, next.campaignId]),
    },
    chain: chainMeta(
      deployment,
      head,
      newest,
      items.map(({ campaignId }) => campaignId),
    ),
  };
}
