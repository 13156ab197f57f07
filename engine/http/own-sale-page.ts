import type { ChainMeta } from '../contract/envelope.ts';
import type { OwnSale, OwnSalePage } from '../db/read/own-sales.ts';
import type { ReadHead } from '../db/read/snapshot.ts';
import { type CursorScope, encodeCursor } from './cursor.ts';
import type { ServedDeployment } from './deps.ts';
import { chainMeta } from './handler.ts';

/** A page of sales as one of their sides lists them. */
export function ownSalePage<T>(
  deployment: ServedDeployment,
  head: ReadHead,
  { items, next }: OwnSalePage,
  scope: CursorScope,
  render: (deployment: ServedDeployment, own: OwnSale, head: ReadHead) => T,
): { data: { items: T[]; nextCursor: string | null }; chain: ChainMeta } {
  const blocks = items.map(({ sale }) => sale.newestBlock);
  const newest = blocks.length === 0 ? head.number : Math.max(...blocks);
  return {
    data: {
      items: items.map((own) => render(deployment, own, head)),
      nextCursor: next && encodeCursor(scope, [next.saleId, next.campaignId]),
    },
    chain: chainMeta(
      deployment,
      head,
      newest,
      items.map(({ sale }) => sale.campaignId),
    ),
  };
}
