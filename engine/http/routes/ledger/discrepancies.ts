import { z } from 'zod';
import { probeId } from '../../../db/ids.ts';
import { listDiscrepancies } from '../../../db/read/ledger/discrepancies.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, cursorOrdinal, decodeCursor, pageOf } from '../../input/cursor.ts';
import { txRef } from '../../render/tx-ref.ts';

const METHOD = 'ledger.discrepancies';
const Position = z.tuple([cursorId, cursorId, cursorOrdinal]);

/** `ledger.discrepancies`: where the chain differs from what settlement computed. */
export const discrepancies: Handler<'ledger.discrepancies'> = async (input, deps) => {
  const { limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const after = position && { campaignId: position[0], seq: position[1], ordinal: position[2] };
  const campaignId = input.campaignId === undefined ? undefined : probeId(input.campaignId);
  return await readLedger(deps.pool, async (snapshot) => {
    const found = await listDiscrepancies(snapshot, campaignId, { after, limit: limit + 1 });
    const { items, nextCursor } = pageOf(found, limit, scope, (one) => [
      one.campaignId,
      String(one.seq),
      String(one.ordinal),
    ]);
    const data = items.map(({ seq, ordinal: _ordinal, tx, ...one }) => ({
      ...one,
      sequence: seq,
      tx: txRef(deps.deployment, tx),
    }));
    return { data: { items: data, nextCursor }, chain: chainMeta(deps.deployment, snapshot.head) };
  });
};
