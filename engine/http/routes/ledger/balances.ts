import { z } from 'zod';
import { probeId } from '../../../db/ids.ts';
import { accountBalances } from '../../../db/read/ledger/balances.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { tokenOf } from '../../render/product.ts';

const METHOD = 'ledger.balances';
const Position = z.tuple([cursorId]);

/** `ledger.balances`: what an account has in each campaign. */
export const balances: Handler<'ledger.balances'> = async (input, deps) => {
  const { atBlock, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const page = {
    campaignId: input.campaignId === undefined ? undefined : probeId(input.campaignId),
    after: decodeCursor(scope, Position)?.[0],
    limit: limit + 1,
  };
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const found = await accountBalances(snapshot, lowerAddress(input.address), page);
    const { items, nextCursor } = pageOf(found, limit, scope, (one) => [one.campaignId]);
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
