import { earningsRead, earningsSummary } from '../../../db/read/earnings/balances.ts';
import { readOne } from '../../../db/read/one-read.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { earningsSummaryOf } from '../../render/earnings.ts';

/** `earnings.summary`: the caller's buckets over all campaigns, token by token. */
export const summary: Handler<'earnings.summary'> = async (
  { atBlock },
  deps,
  { account: address },
) => {
  const { head, value } =
    atBlock === undefined
      ? await readOne(deps.pool, earningsRead(address))
      : await readAsOf(deps, atBlock, async (snapshot) => ({
          head: snapshot.head,
          value: await earningsSummary(snapshot, address),
        }));
  return { data: earningsSummaryOf(value), chain: chainMeta(deps.deployment, head) };
};
