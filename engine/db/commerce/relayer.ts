import type { Address } from '../../core/events.ts';
import { dayStart, type GasBudget, type GasSpending } from '../../core/signed-order.ts';
import type { Pool, Sql } from '../connection.ts';
import {
  address,
  amount,
  as,
  date,
  hex,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  small,
  text,
  type View,
} from '../row.ts';
import type { SignedOrder } from './signed-orders.ts';

const relayedRow = rowCodec({
  hash: hex,
  /** `null` once the order is deleted. */
  intentId: nullable(text),
  merchant: address,
  sender: address,
  nonce: integer,
  /** 1 for the first of its nonce. */
  attempt: small,
  /** `null` once it can no longer disappear. */
  signed: nullable(hex),
  /** Units. */
  gas: integer,
  /** Wei for a unit of gas. */
  maxFee: amount,
  priorityFee: amount,
  status: as<'pending' | 'included' | 'reverted' | 'replaced' | 'dropped'>(),
  /** Wei; `null` while it is pending. */
  cost: nullable(amount),
  sentAt: date,
});

/** A transaction of the relayer. */
export type RelayedTransaction = View<typeof relayedRow>;

/** A transaction that is about to be sent. */
export type NewRelayed = Omit<RelayedTransaction, 'status' | 'cost' | 'intentId' | 'merchant'> & {
  readonly order: Pick<SignedOrder, 'intentId' | 'merchant' | 'state'>;
};

/** Pending transactions, and all of some orders; those of the same nonce with the newest first. */
export async function relayedTransactions(
  sql: Sql,
  intentIds: readonly string[],
): Promise<RelayedTransaction[]> {
  const rows = await sql<StoredRow[]>`
    select * from commerce.relayed_transaction
    where status = 'pending' or intent_id = any(${[...intentIds]}::text[])
    order by nonce, attempt desc`;
  return rows.map(relayedRow.decode);
}

/** Thrown to roll back. */
const TAKEN = Symbol();

/**
 * Stores a signed transaction, before it is sent, and moves its order to `sent`.
 * @returns false if another process was faster, with this order or this nonce: then it must not be sent.
 */
export async function storeRelayed(pool: Pool, sent: NewRelayed): Promise<boolean> {
  const { order } = sent;
  return await pool
    .begin(async (sql) => {
      const moved = await sql`
        update commerce.signed_order set state = 'sent', updated_at = ${sent.sentAt}
        where intent_id = ${order.intentId} and state = ${order.state} and closed_at is null
        returning 1`;
      const stored = await sql`
        insert into commerce.relayed_transaction (hash, intent_id, merchant, sender, nonce, attempt,
          signed, gas, max_fee, priority_fee, sent_at)
        values (${sent.hash}, ${order.intentId}, ${order.merchant}, ${sent.sender},
          ${String(sent.nonce)}, ${sent.attempt}, ${sent.signed}, ${String(sent.gas)},
          ${String(sent.maxFee)}, ${String(sent.priorityFee)}, ${sent.sentAt})
        on conflict do nothing returning 1`;
      if (moved.length === 0 || stored.length === 0) throw TAKEN;
      return true;
    })
    .catch((error: unknown) => {
      if (error === TAKEN) return false;
      throw error;
    });
}

/** Stores the outcome of a transaction, unless that is known by now. If it is in a block, others of its nonce are not, whatever was seen before. */
export async function saveRelayed(
  pool: Pool,
  before: Pick<RelayedTransaction, 'hash' | 'sender' | 'nonce' | 'status'>,
  { status, cost }: Pick<RelayedTransaction, 'status' | 'cost'>,
): Promise<void> {
  const { hash, sender, nonce } = before;
  await pool.begin(async (sql) => {
    const saved = await sql`
      update commerce.relayed_transaction set status = ${status}, cost = ${cost?.toString() ?? null},
        signed = case when ${status === 'dropped'} then null else signed end
      where hash = ${hash} and status = ${before.status} returning 1`;
    if (saved.length === 0 || (status !== 'included' && status !== 'reverted')) return;
    await sql`
      update commerce.relayed_transaction set status = 'replaced', cost = 0, signed = null
      where sender = ${sender} and nonce = ${String(nonce)} and hash <> ${hash}
        and status <> 'dropped'`;
  });
}

/** Gas that was paid today, and for a merchant. A pending transaction counts with the most that it can cost. */
export async function gasSpending(sql: Sql, merchant: Address, now: Date): Promise<GasSpending> {
  const [row] = await sql<{ merchant: string; total: string; failures: number }[]>`
    with today as (
      select merchant, status, coalesce(cost, gas * max_fee) as cost
      from commerce.relayed_transaction where sent_at >= ${dayStart(now.getTime())}
    )
    select coalesce(sum(cost) filter (where merchant = ${merchant}), 0) as merchant,
      coalesce(sum(cost), 0) as total,
      count(*) filter (where merchant = ${merchant} and status = 'reverted')::int as failures
    from today`;
  return {
    merchant: BigInt(row?.merchant ?? 0),
    total: BigInt(row?.total ?? 0),
    failures: row?.failures ?? 0,
  };
}

/** Budget of a merchant that an operator set, wei for a day; `undefined` for the default. */
async function merchantBudget(sql: Sql, merchant: Address): Promise<bigint | undefined> {
  const [row] = await sql<{ daily: string }[]>`
    select daily from commerce.gas_budget where merchant = ${merchant}`;
  return row && BigInt(row.daily);
}

/** Sets the budget of a merchant, wei for a day; `undefined` for the default. */
export async function setMerchantBudget(
  sql: Sql,
  merchant: Address,
  daily: bigint | undefined,
): Promise<void> {
  if (daily === undefined) {
    await sql`delete from commerce.gas_budget where merchant = ${merchant}`;
    return;
  }
  await sql`
    insert into commerce.gas_budget (merchant, daily) values (${merchant}, ${String(daily)})
    on conflict (merchant) do update set daily = excluded.daily`;
}

/** Budgets that differ from the default, by merchant. */
export async function listMerchantBudgets(
  sql: Sql,
): Promise<{ readonly merchant: Address; readonly daily: bigint }[]> {
  const rows = await sql<{ merchant: Address; daily: string }[]>`
    select merchant, daily from commerce.gas_budget order by merchant`;
  return rows.map(({ merchant, daily }) => ({ merchant, daily: BigInt(daily) }));
}

const relayerRow = rowCodec({
  address,
  seenAt: date,
  /** Wei. */
  balance: amount,
  /** Present price of a unit of gas, and the highest at which it sends; wei. */
  feePerGas: amount,
  maxFeePerGas: amount,
  /** Units of one transaction. */
  maxGas: integer,
  merchantBudget: amount,
  totalBudget: amount,
});

/** The relayer's last report of itself. */
export type RelayerReport = View<typeof relayerRow>;

export async function saveReport(sql: Sql, report: RelayerReport): Promise<void> {
  await sql`
    insert into commerce.relayer (address, seen_at, balance, fee_per_gas, max_fee_per_gas, max_gas,
      merchant_budget, total_budget)
    values (${report.address}, ${report.seenAt}, ${String(report.balance)},
      ${String(report.feePerGas)}, ${String(report.maxFeePerGas)}, ${String(report.maxGas)},
      ${String(report.merchantBudget)}, ${String(report.totalBudget)})
    on conflict (address) do update set seen_at = excluded.seen_at, balance = excluded.balance,
      fee_per_gas = excluded.fee_per_gas, max_fee_per_gas = excluded.max_fee_per_gas,
      max_gas = excluded.max_gas, merchant_budget = excluded.merchant_budget,
      total_budget = excluded.total_budget`;
}

/** The newest report of a relayer; `undefined` if there was never one. */
export async function newestReport(sql: Sql): Promise<RelayerReport | undefined> {
  const [row] = await sql<StoredRow[]>`
    select * from commerce.relayer order by seen_at desc limit 1`;
  return row && relayerRow.decode(row);
}

/** Limits for a merchant as a report and the operator set them. */
export async function budgetOf(
  sql: Sql,
  merchant: Address,
  defaults: Pick<RelayerReport, 'merchantBudget' | 'totalBudget'>,
): Promise<GasBudget> {
  const own = await merchantBudget(sql, merchant);
  return { merchant: own ?? defaults.merchantBudget, total: defaults.totalBudget };
}
