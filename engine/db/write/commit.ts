import type { Address, Fact } from '../../core/events.ts';
import type { FoldState } from '../../core/fold/index.ts';
import type { Fragment, Sql } from '../connection.ts';
import type { WrittenRow } from '../row.ts';
import { bucketRow } from '../rows/account.ts';
import { campaignRow, campaignStateRow, creationRow } from '../rows/campaign.ts';
import { commaSeparated } from '../sql.ts';
import type { AppendedTable } from '../tables/ledger.ts';
import { copyRows } from './copy-rows.ts';
import { type CurrentPolicy, currentPolicyColumns, updateCampaigns } from './current-policy.ts';
import { type CursorMove, moveCursors } from './cursor.ts';
import { newSaleSums } from './new-sale-sums.ts';
import { addToPartners } from './partners.ts';
import {
  attestationRows,
  attesterDayRows,
  creditRows,
  discrepancyRows,
  entryRows,
  type Folded,
  journalRow,
  missedRows,
  nodeRows,
  permissionRows,
  policyRows,
  priceRows,
  saleVersionRows,
} from './rows.ts';
import { changedSales, newLevelRows, newSaleRows, updateLevels, updateSales } from './sales.ts';
import { insertSql, upsertSql } from './statements.ts';
import { addToTotals, subtractFromTotals } from './sums.ts';

/** Rows from which on COPY is worth its round trips. */
export const MIN_COPIED = 64;

/** Result of a batch for one of its campaigns. */
export interface FoldedPart {
  /** The campaign after the batch. */
  readonly state: FoldState;
  readonly folded: readonly Folded[];
  readonly current: CurrentPolicy;
  /** Event that its cursor is moved to. */
  readonly to: CursorMove;
}

/**
 * Writes a folded batch and moves the cursors of its campaigns. The caller holds the campaigns' locks and
 * commits, all in one transaction, in which no other statement runs meanwhile.
 *
 * A separate statement costs both sides more than the few rows of most batches, and so does waiting for
 * its result. So all short tables go into one statement, and the statements before and after it are sent
 * without waiting. Long tables are copied.
 * @returns the time when each campaign's clock has something due next, unix seconds, by campaign.
 */
export async function writeFolded(
  sql: Sql,
  parts: readonly FoldedPart[],
): Promise<ReadonlyMap<string, number | null>> {
  const folded = parts.flatMap((part) => part.folded);
  const sales = parts.flatMap((part) => changedSales(part.state, part.folded));
  const added: AddedRows = {
    journal: rowsOf(folded, (one) => [journalRow(one)]),
    entry: rowsOf(folded, entryRows),
    missed_reward: rowsOf(folded, missedRows),
    sale_version: rowsOf(folded, saleVersionRows),
    node: rowsOf(parts, ({ state, folded: of }) => of.flatMap((one) => nodeRows(state, one))),
    attestation: rowsOf(folded, attestationRows),
    sale: rowsOf(sales, (sale) => newSaleRows([sale])),
    sale_level: rowsOf(sales, (sale) => newLevelRows([sale])),
    discrepancy: rowsOf(folded, discrepancyRows),
    policy: rowsOf(folded, policyRows),
    price: rowsOf(folded, priceRows),
    permission: rowsOf(folded, permissionRows),
    attester_day: rowsOf(folded, attesterDayRows),
    credit: rowsOf(folded, creditRows),
    campaign: rowsOf(parts, newCampaignRows),
  };
  const tables = Object.entries(added).map(([table, rows]) => {
    const [first, rest] = splitRows(rows, MIN_COPIED);
    return { table, first, rest };
  });
  const long = tables.filter(({ first }) => first.length >= MIN_COPIED);
  const short = tables.filter(({ first }) => first.length > 0 && first.length < MIN_COPIED);
  const statements = [
    ...short.map(({ table, first }) => insertSql(sql, table, first)),
    ...updateKnownCampaigns(sql, parts),
    ...updateSales(sql, sales),
    ...updateLevels(sql, sales),
    ...writeBuckets(sql, parts),
    ...newSaleSums(sql, sales),
  ];
  const partners = addToPartners(sql, parts);
  // Sent without waiting, in this order, which is the order in which the server runs them.
  const before = Promise.all([subtractFromTotals(sql, sales), runTogether(sql, statements)]);
  if (long.length > 0) {
    await before;
    for (const { table, first, rest } of long) await copyRows(sql, table, first, rest);
  }
  const [, , clocks] = await Promise.all([
    before,
    addToTotals(sql, sales, folded),
    moveCursors(
      sql,
      parts.map(({ to }) => to),
      // Last, because other campaigns of the merchant wait for the rows until the commit.
      partners,
    ),
  ]);
  return clocks;
}

/**
 * The rows that a batch appends, for each table that it appends to: a new table does not compile without.
 * Each row is made when it is written: all rows of a batch are several times as large as its events.
 */
type AddedRows = Readonly<Record<AppendedTable, Generator<WrittenRow>>>;

function* rowsOf<T>(
  items: readonly T[],
  make: (item: T) => readonly WrittenRow[],
): Generator<WrittenRow> {
  for (const item of items) yield* make(item);
}

/** The first rows, `count` at most, and an iterator of those after them. */
function splitRows(
  rows: Generator<WrittenRow>,
  count: number,
): [WrittenRow[], Iterable<WrittenRow>] {
  const first: WrittenRow[] = [];
  while (first.length < count) {
    const { done, value } = rows.next();
    if (done) break;
    first.push(value);
  }
  return [first, rows];
}

/** Runs several statements that change different rows as one; none if all tables of the batch are long. */
async function runTogether(sql: Sql, parts: readonly Fragment[]): Promise<void> {
  if (parts.length === 0) return;
  await sql`with ${commaSeparated(
    sql,
    parts.map((part, i) => sql`${sql(`part_${i}`)} as (${part})`),
  )} select`.execute();
}

/** The campaign's CampaignCreated, if it is in the batch. */
function createdBy({ folded }: FoldedPart): Fact | undefined {
  return folded.find(({ fact }) => fact.name === 'CampaignCreated')?.fact;
}

/** Columns of `ledger.campaign` that any batch can change. */
function stateColumns({ state, current }: FoldedPart): WrittenRow {
  return {
    campaign_id: state.campaignId,
    ...campaignStateRow.encode(state.snapshot),
    ...currentPolicyColumns(current),
    indexed_at: 'now',
  };
}

function updateKnownCampaigns(sql: Sql, parts: readonly FoldedPart[]): readonly Fragment[] {
  const known = parts.filter((part) => createdBy(part) === undefined);
  return known.length === 0 ? [] : [updateCampaigns(sql, known.map(stateColumns))];
}

function newCampaignRows(part: FoldedPart): WrittenRow[] {
  const created = createdBy(part);
  if (created === undefined) return [];
  const { campaign } = part.state;
  if (campaign === null) throw new Error(`campaign ${created.campaignId} was folded to nothing`);
  const creation = creationRow.encode({ ...created, hash: created.transactionHash });
  return [{ ...campaignRow.encode(campaign), ...creation, ...stateColumns(part) }];
}

/** The statement that writes the balances of each account that has an entry in the batch. */
function writeBuckets(sql: Sql, parts: readonly FoldedPart[]): readonly Fragment[] {
  const rows = parts.flatMap(({ state, folded }) => {
    const accounts = new Set(folded.flatMap(({ entries }) => entries.map((one) => one.account)));
    return [...accounts].flatMap((account) => bucketRows(state, account));
  });
  return rows.length === 0 ? [] : [upsertSql(sql, 'bucket', ['campaign_id', 'account'], rows)];
}

function bucketRows(state: FoldState, account: Address): WrittenRow[] {
  const balances = state.accounts.get(account);
  if (balances === undefined) return [];
  const { reserved, ready } = balances;
  const bucket = { ...balances, account, atRisk: reserved - ready, readyToFinalize: ready };
  return [{ campaign_id: state.campaignId, ...bucketRow.encode(bucket) }];
}
