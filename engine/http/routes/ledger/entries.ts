import { z } from 'zod';
import { probeId } from '../../../db/ids.ts';
import { listEntries } from '../../../db/read/ledger/entries.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { cursorId, cursorOrdinal, decodeCursor, pageOf } from '../../input/cursor.ts';
import { txRef } from '../../render/tx-ref.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

const METHOD = 'ledger.entries';
const Position = z.tuple([cursorId, cursorOrdinal]);

/** `ledger.entries`: movements of accounts' money in a campaign, oldest first. */
export const entries: Handler<'ledger.entries'> = async (input, deps) => {
  const { campaignId, account, saleId, atBlock, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const after = position && { seq: position[0], ordinal: position[1] };
  const filter = {
    account: account && lowerAddress(account),
    saleId: saleId === undefined ? undefined : probeId(saleId),
  };
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const found = await listEntries(snapshot, campaign, filter, { after, limit: limit + 1 });
    const { items, nextCursor } = pageOf(found, limit, scope, ({ seq, ordinal }) => [
      String(seq),
      String(ordinal),
    ]);
    const data = items.map(({ seq, tx, amount, after: balances, ...entry }) => ({
      ...entry,
      sequence: seq,
      amount: amount.toString(),
      after: {
        reserved: balances.reserved.toString(),
        claimable: balances.claimable.toString(),
        claimed: balances.claimed.toString(),
        refunded: balances.refunded.toString(),
        reversed: balances.reversed.toString(),
      },
      tx: txRef(deps.deployment, tx),
    }));
    const newest = items.at(-1)?.tx.blockNumber ?? campaign.newestBlock;
    return {
      data: { items: data, nextCursor },
      chain: chainMeta(deps.deployment, snapshot.head, newest, campaignId),
    };
  });
};
