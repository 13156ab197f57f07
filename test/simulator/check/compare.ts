import type { Address } from '../../../engine/core/events.ts';
import { emptyAccount, type FoldState } from '../../../engine/core/fold/index.ts';
import type { Sql } from '../../../engine/db/connection.ts';
import type { Expected } from './expected.ts';

/**
 * How the ledger differs from what it has to be, a sentence each; empty where it does not.
 * @param clock time of the settled block, unix seconds.
 * @param except campaigns that are not compared: somebody poisoned their facts.
 */
export async function ledgerDifferences(
  sql: Sql,
  all: Expected,
  clock: number,
  except: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const campaigns = new Map([...all.campaigns].filter(([id]) => !except.has(id)));
  const expected = { ...all, campaigns, except };
  const found = await Promise.all([
    cursorDifferences(sql, expected),
    bucketDifferences(sql, expected, clock),
    creditDifferences(sql, expected),
    saleDifferences(sql, expected),
    discrepancies(sql, expected),
  ]);
  return found.flat();
}

type Compared = Expected & { readonly except: ReadonlySet<string> };

function among<Row extends { readonly id?: string }>(
  rows: readonly Row[],
  except: ReadonlySet<string>,
): readonly Row[] {
  return except.size === 0 ? rows : rows.filter(({ id }) => id === undefined || !except.has(id));
}

/** The digests: of each campaign its own, and no campaign that the chain does not have. */
async function cursorDifferences(sql: Sql, { campaigns, except }: Compared): Promise<string[]> {
  const rows = await sql<{ id: string; seq: string; event: string; digest: string }[]>`
    select campaign_id as id, seq, block_number || ' ' || log_index as event, digest
    from ledger.cursor where seq > 0`;
  const actual = new Map(
    among(rows, except).map(({ id, ...row }) => [id, `${row.seq} ${row.event} ${row.digest}`]),
  );
  const wanted = new Map(
    [...campaigns].map(([id, { digests, lastEvent }]) => [
      id,
      `${digests.length} ${lastEvent} ${digests.at(-1)}`,
    ]),
  );
  return compared('cursor of campaign', wanted, actual);
}

/** Differences in buckets: the fold's sums, with the reserve divided by the settled block's time. */
async function bucketDifferences(sql: Sql, expected: Compared, clock: number): Promise<string[]> {
  const rows = await sql<Record<string, string>[]>`
    select campaign_id as id, account, at_risk, ready_to_finalize, claimable, claimed, refunded,
      reversed
    from ledger.bucket`;
  const actual = new Map(
    among(rows, expected.except).map(({ id, account, ...sums }) => [
      `${id} ${account}`,
      Object.values(sums).join(' '),
    ]),
  );
  const wanted = new Map<string, string>();
  for (const [id, { state }] of expected.campaigns) {
    const ready = readyByAccount(state, clock);
    for (const account of new Set([...state.accounts.keys(), ...ready.keys()])) {
      const sums = state.accounts.get(account) ?? emptyAccount;
      const due = ready.get(account) ?? 0n;
      const { reserved, claimable, claimed, refunded, reversed } = sums;
      const amounts = [reserved - due, due, claimable, claimed, refunded, reversed];
      wanted.set(`${id} ${account}`, amounts.join(' '));
    }
  }
  return compared('buckets of campaign and account', wanted, actual);
}

/** Differences in what each account can withdraw because the token refused to pay it. */
async function creditDifferences(sql: Sql, { campaigns, except }: Compared): Promise<string[]> {
  const rows = await sql<{ id: string; account: string; credit: string }[]>`
    select distinct on (campaign_id, account) campaign_id as id, account, credit_after as credit
    from ledger.credit order by campaign_id, account, seq desc`;
  const actual = new Map(
    among(rows, except).map(({ id, account, credit }) => [`${id} ${account}`, credit]),
  );
  const wanted = new Map<string, string>();
  for (const [id, { state }] of campaigns) {
    for (const [account, credit] of state.credits) wanted.set(`${id} ${account}`, String(credit));
  }
  return compared('credit of campaign and account', wanted, actual);
}

/** Amounts of each account in levels whose hold is over, base units. */
function readyByAccount({ sales }: FoldState, clock: number): Map<Address, bigint> {
  const ready = new Map<Address, bigint>();
  for (const { holdUntil, levels } of sales.values()) {
    if (holdUntil > clock) continue;
    for (const { recipient, reserved } of levels) {
      if (reserved > 0n) ready.set(recipient, (ready.get(recipient) ?? 0n) + reserved);
    }
  }
  return ready;
}

/** Nothing lost, nothing doubled: each sale once, in its state. */
async function saleDifferences(sql: Sql, { campaigns, except }: Compared): Promise<string[]> {
  const rows = await sql<Record<string, string>[]>`
    select campaign_id as id, sale_id, order_key, amount, refunded_total, state from ledger.sale`;
  const actual = new Map(
    among(rows, except).map(({ id, sale_id, ...sale }) => [
      `${id} ${sale_id}`,
      Object.values(sale).join(' '),
    ]),
  );
  const wanted = new Map<string, string>();
  for (const [id, { state }] of campaigns) {
    for (const sale of state.sales.values()) {
      const { orderKey, amount, refundedTotal } = sale;
      wanted.set(`${id} ${sale.saleId}`, [orderKey, amount, refundedTotal, sale.state].join(' '));
    }
  }
  return compared('campaign and sale', wanted, actual);
}

async function discrepancies(sql: Sql, { campaigns, except }: Compared): Promise<string[]> {
  const rows = await sql<{ row: string }[]>`
    select to_jsonb(d)::text as row from ledger.discrepancy d
    where campaign_id <> all(${[...except]}::bigint[]) limit 3`;
  const folded = [...campaigns].filter(([, { discrepancies: count }]) => count > 0);
  return [
    ...rows.map(({ row }) => `a discrepancy: ${row}`),
    ...folded.map(([id]) => `the fold in memory finds a discrepancy in campaign ${id}`),
  ];
}

function compared(
  what: string,
  wanted: ReadonlyMap<string, string>,
  actual: ReadonlyMap<string, string>,
): string[] {
  const keys = [...new Set([...wanted.keys(), ...actual.keys()])];
  return keys.flatMap((key) => {
    const [one, other] = [wanted.get(key) ?? 'nothing', actual.get(key) ?? 'nothing'];
    return one === other ? [] : [`${what} ${key}: expected ${one}, found ${other}`];
  });
}
