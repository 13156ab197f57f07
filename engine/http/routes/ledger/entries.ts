import { probeId } from '../../../db/ids.ts';
import { listEntries } from '../../../db/read/ledger/entries.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { cursorId, cursorOrdinal, ListPage } from '../../input/cursor.ts';
import { txRef } from '../../render/tx-ref.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

const position = { seq: cursorId, ordinal: cursorOrdinal };

/** `ledger.entries`: movements of accounts' money in a campaign, oldest first. */
export const entries: Handler<'ledger.entries'> = async (input, deps) => {
  const { campaignId, account, saleId, atBlock } = input;
  const page = new ListPage('ledger.entries', input, position);
  const filter = {
    account: account && lowerAddress(account),
    saleId: saleId === undefined ? undefined : probeId(saleId),
  };
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const found = await listEntries(snapshot, campaign, filter, page.query);
    const { items, nextCursor } = page.of(found);
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
