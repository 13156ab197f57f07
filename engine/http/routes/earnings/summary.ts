import { earningsSummary } from '../../../db/read/earnings/balances.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { earningsSummaryOf } from '../../render/earnings.ts';

/** `earnings.summary`: the caller's buckets over all campaigns, token by token. */
export const summary: Handler<'earnings.summary'> = async (input, deps, { session }) =>
  await readAsOf(deps, input.atBlock, async (snapshot) => ({
    data: earningsSummaryOf(await earningsSummary(snapshot, session.address)),
    chain: chainMeta(deps.deployment, snapshot.head),
  }));
