import { settledValues } from '../../../db/read/merchants/settled-values.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { tokenOf } from '../../render/product.ts';
import { isoTime } from '../../render/time.ts';

/**
 * `billing.summary`: value that the account's campaigns settled in the month of the settled block. The
 * service charges no fee.
 */
export const summary: Handler<'billing.summary'> = async (_input, deps, { merchant }) =>
  await readLedger(deps.pool, async (snapshot) => {
    const period = monthOf(snapshot.head.timestamp);
    const values = await settledValues(snapshot, merchant, period);
    return {
      data: {
        feeBps: 0,
        period: { from: isoTime(period.from), to: isoTime(period.to) },
        totals: values.map(({ token, amount }) => ({
          token: tokenOf(token),
          settledValue: amount.toString(),
          protocolFees: '0',
        })),
      },
      chain: chainMeta(deps.deployment, snapshot.head),
    };
  });

/** UTC month of a time, in unix seconds; `to` is exclusive. */
function monthOf(timestamp: number): { from: number; to: number } {
  const time = new Date(timestamp * 1_000);
  const start = (month: number) => Date.UTC(time.getUTCFullYear(), month, 1) / 1_000;
  return { from: start(time.getUTCMonth()), to: start(time.getUTCMonth() + 1) };
}
