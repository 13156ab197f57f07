import { probeId } from '../../../db/ids.ts';
import { listDiscrepancies } from '../../../db/read/ledger/discrepancies.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, cursorOrdinal, ListPage, mapItems } from '../../input/cursor.ts';
import { txRef } from '../../render/tx-ref.ts';

const position = { campaignId: cursorId, seq: cursorId, ordinal: cursorOrdinal };

/** `ledger.discrepancies`: where the chain differs from what settlement computed. */
export const discrepancies: Handler<'ledger.discrepancies'> = async (input, deps) => {
  const page = new ListPage('ledger.discrepancies', input, position);
  const campaignId = input.campaignId === undefined ? undefined : probeId(input.campaignId);
  return await readLedger(deps.pool, async (snapshot) => {
    const found = await listDiscrepancies(snapshot, campaignId, page.query);
    const data = mapItems(page.of(found), ({ seq, ordinal: _ordinal, tx, ...one }) => ({
      ...one,
      sequence: seq,
      tx: txRef(deps.deployment, tx),
    }));
    return { data, chain: chainMeta(deps.deployment, snapshot.head) };
  });
};
