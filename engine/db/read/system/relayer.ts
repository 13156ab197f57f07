import type { Fragment, Sql } from '../../connection.ts';
import {
  address,
  amount,
  date,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  type View,
} from '../../row.ts';

export const relayerWatch = rowCodec({
  address,
  /** When it last reported; the rest is of then, except the times of orders. */
  seenAt: date,
  /** Wei. */
  balance: amount,
  /** Present price of a unit of gas, and the highest at which it sends; wei. */
  feePerGas: amount,
  maxFeePerGas: amount,
  /** Units of one transaction. */
  maxGas: integer,
  /** Orders that wait to be sent, and that were sent and are in no block. */
  waiting: integer,
  sent: integer,
  /** Since when the oldest of both has waited; `null` if none does. */
  oldestAt: nullable(date),
});

/** State of the relayer, for its alarm and its metrics. */
export type RelayerWatch = View<typeof relayerWatch>;

/** State of the relayer; `null` if there was never one. */
export async function readRelayerWatch(sql: Sql): Promise<RelayerWatch | null> {
  const [row] = await sql<StoredRow[]>`${relayerWatches(sql)}`;
  return row === undefined ? null : relayerWatch.decode(row);
}

/** Selects the state of the relayer that reported last. Orders that can no longer be recorded do not count. */
export function relayerWatches(sql: Sql): Fragment {
  return sql`
    select relayer.*, open.* from commerce.relayer
    cross join (
      select count(*) filter (where state = 'waiting') as waiting,
        count(*) filter (where state = 'sent') as sent, min(created_at) as oldest_at
      from commerce.signed_order
      where closed_at is null and state in ('waiting', 'sent')
        and deadline > extract(epoch from clock_timestamp())
    ) open
    order by seen_at desc limit 1`;
}

/** Transactions that its account can pay for, at the present price of gas, or the highest one that it pays if that is less. */
export function transactionsLeft(watch: RelayerWatch): number {
  const { balance, maxGas, feePerGas, maxFeePerGas } = watch;
  const isExpensive = feePerGas > maxFeePerGas;
  const cost = BigInt(maxGas) * (isExpensive ? maxFeePerGas : feePerGas);
  return Number(balance / (cost || 1n));
}
