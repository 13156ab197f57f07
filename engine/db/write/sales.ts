import type { Address } from '../../core/events.ts';
import type { FoldState, Sale } from '../../core/fold/index.ts';
import type { Fragment, Sql } from '../connection.ts';
import { fence } from '../planner.ts';
import {
  amount,
  byteHash,
  id,
  integer,
  nullable,
  rowCodec,
  small,
  type WrittenRow,
} from '../row.ts';
import { levelRow, levelStateRow, saleRow, saleStateRow } from '../rows/sale.ts';
import { type Folded, rowsOf, transactionOfFact } from './rows.ts';
import { assignmentsSql, unnestSql } from './statements.ts';

/** A sale whose row or levels a batch changed, in its state after the batch. */
export interface ChangedSale {
  readonly campaignId: string;
  /** Merchant of the campaign. */
  readonly merchant: Address;
  readonly sale: Sale;
  /** Sequence number of the newest event that changed it. */
  readonly changedSeq: number;
  /** Its SaleRecorded, if the batch has it: then its rows are new. */
  readonly recorded: Folded | undefined;
}

/** The sales of one campaign that a batch changed. */
export function changedSales(state: FoldState, folded: readonly Folded[]): readonly ChangedSale[] {
  const changed = new Map<string, ChangedSale>();
  for (const one of folded) {
    const { seq, fact } = one;
    if (!('saleId' in fact.args)) continue;
    const sale = state.sales.get(fact.args.saleId);
    if (sale === undefined || state.campaign === null) continue;
    const isNew = fact.name === 'SaleRecorded' && one.sale !== null;
    const recorded = isNew ? one : changed.get(sale.saleId)?.recorded;
    const { campaignId, merchant } = state.campaign;
    changed.set(sale.saleId, { campaignId, merchant, sale, changedSeq: seq, recorded });
  }
  return [...changed.values()];
}

const saleTable = rowCodec({
  campaignId: id,
  changedSeq: integer,
  sale: saleRow.fields,
  recorded: { seq: integer, fact: transactionOfFact },
  /** `null` if it is not known. */
  calldataEnd: nullable(byteHash),
});

/** The row of `ledger.sale` of a sale that was recorded in the batch. */
export const newSaleRows = rowsOf(saleTable, (changed: ChangedSale) => {
  const { campaignId, changedSeq, sale, recorded } = changed;
  if (recorded === undefined) return [];
  const calldataEnd = recorded.fact.calldataEnd ?? null;
  return [{ campaignId, changedSeq, sale, recorded, calldataEnd }];
});

const levelTable = rowCodec({
  campaignId: id,
  sale: { saleId: id },
  level: levelRow.fields,
  /** The account's reserve after the reservation of the level, base units; `null` if its share is 0. */
  reservedAfter: nullable(amount),
});

/** Rows of `ledger.sale_level` of a sale that was recorded in the batch. */
export const newLevelRows = rowsOf(levelTable, (changed: ChangedSale) => {
  const { campaignId, sale, recorded } = changed;
  if (recorded === undefined) return [];
  // Its reservations are in the order of the levels; a share of 0 has none.
  let next = 0;
  return sale.levels.map((level) => {
    const reservation = recorded.entries[next];
    const isReserved = reservation?.level === level.level;
    if (isReserved) next += 1;
    const reservedAfter = isReserved ? reservation.after.reserved : null;
    return { campaignId, sale, level, reservedAfter };
  });
});

/** True for a sale that was recorded before the batch: its rows are there already. */
function isEarlier({ recorded }: ChangedSale): boolean {
  return recorded === undefined;
}

const saleUpdate = rowCodec({
  campaignId: id,
  changedSeq: integer,
  sale: { saleId: id, ...saleStateRow.fields },
});

/** The statement that updates the sales that were recorded before the batch; none if there are none. */
export function updateSales(sql: Sql, changed: readonly ChangedSale[]): readonly Fragment[] {
  const rows = changed.filter(isEarlier).map(saleUpdate.encode);
  return updateByKey(sql, 'sale', ['campaign_id', 'sale_id'], saleUpdate.types, rows);
}

const levelUpdate = rowCodec({
  campaignId: id,
  sale: { saleId: id },
  level: { level: small, ...levelStateRow.fields },
});

/** The statement that updates the levels of sales that were recorded before the batch; none if there are none. */
export function updateLevels(sql: Sql, changed: readonly ChangedSale[]): readonly Fragment[] {
  const rows = changed
    .filter(isEarlier)
    .flatMap(({ campaignId, sale }) =>
      sale.levels.map((level) => levelUpdate.encode({ campaignId, sale, level })),
    );
  const key = ['campaign_id', 'sale_id', 'level'];
  return updateByKey(sql, 'sale_level', key, levelUpdate.types, rows);
}

function updateByKey(
  sql: Sql,
  table: string,
  key: readonly string[],
  columns: typeof saleUpdate.types,
  rows: readonly WrittenRow[],
): readonly Fragment[] {
  if (rows.length === 0) return [];
  const name = sql(`ledger.${table}`);
  const changing = Object.keys(columns).filter((column) => !key.includes(column));
  const update = sql`
    update ${name} t set ${assignmentsSql(sql, changing, 'r')}
    from ${unnestSql(sql, 'r', columns, rows)}
    cross join lateral (
      select ctid from ${name}
      where true ${key.map((column) => sql`and ${sql(column)} = ${sql(`r.${column}`)}`)}
      ${fence(sql)}
    ) at
    where t.ctid = at.ctid`;
  return [update];
}
