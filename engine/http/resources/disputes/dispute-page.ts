import { z } from 'zod';
import type { ChainMeta } from '../../../contract/envelope.ts';
import type { Dispute } from '../../../contract/shapes/dispute.ts';
import type { DisputeCursor, DisputePage, DisputeParty } from '../../../db/read/disputes/list.ts';
import type { ReadHead } from '../../../db/read/snapshot.ts';
import type { ServedDeployment } from '../../deps.ts';
import { chainMeta } from '../../handler-types.ts';
import {
  type CursorScope,
  cursorId,
  cursorMicroseconds,
  cursorOwnId,
  decodeCursor,
  encodeCursor,
} from '../../input/cursor.ts';
import { disputeOf } from '../../render/dispute.ts';

const positions = {
  buyer: z.tuple([cursorMicroseconds, cursorOwnId]),
  merchant: z.tuple([cursorId, cursorOwnId]),
} as const;

/** Position at which the previous page of a party's disputes ended. */
export function disputeCursorOf(
  scope: CursorScope,
  role: DisputeParty['role'],
): DisputeCursor | undefined {
  const position = decodeCursor(scope, positions[role]);
  return position && { key: position[0], id: position[1] };
}

/** Response with a page of disputes, as final as the newest event of any of them. */
export function disputePage(
  deployment: ServedDeployment,
  head: ReadHead,
  { items, next }: DisputePage,
  scope: CursorScope,
): {
  readonly data: { items: z.infer<typeof Dispute>[]; nextCursor: string | null };
  readonly chain: ChainMeta;
} {
  const blocks = items.map(({ sale }) => sale.newestBlock);
  const newest = blocks.length === 0 ? head.number : Math.max(...blocks);
  return {
    data: {
      items: items.map((dispute) => disputeOf(deployment, dispute)),
      nextCursor: next && encodeCursor(scope, [next.key, next.id]),
    },
    chain: chainMeta(deployment, head, newest),
  };
}
