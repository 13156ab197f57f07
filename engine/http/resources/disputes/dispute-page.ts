import type { z } from 'zod';
import type { ChainMeta } from '../../../contract/envelope.ts';
import type { Dispute } from '../../../contract/shapes/dispute.ts';
import type { DisputePage } from '../../../db/read/disputes/list.ts';
import type { ReadHead } from '../../../db/read/snapshot.ts';
import type { ServedDeployment } from '../../deps.ts';
import { chainMeta } from '../../handler-types.ts';
import { cursorId, cursorMicroseconds, cursorOwnId, type ListPage } from '../../input/cursor.ts';
import { disputeOf } from '../../render/dispute.ts';

/** Position of a dispute in the list of a party. */
export const disputePositions = {
  buyer: { key: cursorMicroseconds, id: cursorOwnId },
  merchant: { key: cursorId, id: cursorOwnId },
} as const;

/** Response with a page of disputes, as final as the newest event of any of them. */
export function disputePage(
  deployment: ServedDeployment,
  head: ReadHead,
  { items, next }: DisputePage,
  list: ListPage<(typeof disputePositions)['buyer']>,
): {
  readonly data: { items: z.infer<typeof Dispute>[]; nextCursor: string | null };
  readonly chain: ChainMeta;
} {
  const blocks = items.map(({ sale }) => sale.newestBlock);
  const newest = blocks.length === 0 ? head.number : Math.max(...blocks);
  return {
    data: {
      items: items.map((dispute) => disputeOf(deployment, dispute)),
      nextCursor: list.cursor(next),
    },
    chain: chainMeta(deployment, head, newest),
  };
}
