import { probeId } from '../../../db/ids.ts';
import { accountBalances } from '../../../db/read/ledger/balances.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';
import { tokenOf } from '../../render/product.ts';

/** `ledger.balances`: what an account has in each campaign. */
export const balances: Handler<'ledger.balances'> = async (input, deps) => {
  const list = new ListPage('ledger.balances', input, { campaignId: cursorId });
  const page = {
    campaignId: input.campaignId === undefined ? undefined : probeId(input.campaignId),
    after: list.after?.campaignId,
    limit: list.query.limit,
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const found = await accountBalances(snapshot, lowerAddress(input.address), page);
    const { items, nextCursor } = list.of(found);
    const data = items.map(({ campaignId, token, balances: amounts, credit, seq }) => ({
      campaignId,
      token: tokenOf(token),
      reserved: amounts.reserved.toString(),
      claimable: amounts.claimable.toString(),
      claimed: amounts.claimed.toString(),
      refunded: amounts.refunded.toString(),
      reversed: amounts.reversed.toString(),
      credit: credit.toString(),
      sequence: seq,
    }));
    const newest = Math.max(0, ...items.map(({ newestBlock }) => newestBlock));
    return {
      data: { items: data, nextCursor },
      chain: chainMeta(
        deps.deployment,
        snapshot.head,
        items.length === 0 ? snapshot.head.number : newest,
        items.map(({ campaignId }) => campaignId),
      ),
    };
  });
};
