import {
  type ReportCell,
  type ReportKind,
  reportCells,
  reportColumns,
} from '../../../core/report.ts';
import { toInteger } from '../../ids.ts';
import type { StoredRow } from '../../row.ts';
import type { Snapshot } from '../snapshot.ts';
import { missedRows } from './missed.ts';
import { movementRows } from './movements.ts';
import { payoutRows } from './payouts.ts';
import { rewardRows } from './rewards.ts';
import { saleRows } from './sales.ts';
import type { ReportScope, RowSource } from './scope.ts';

/** Maximum number of rows of the database in memory. */
const BATCH_ROWS = 1_000;

/**
 * The rows of a report in batches, by a cursor of the server, so that a report of any length takes the memory
 * of one batch. Read them within the transaction of the snapshot.
 */
export async function* reportBatches(
  snapshot: Snapshot,
  kind: ReportKind,
  scope: ReportScope,
): AsyncGenerator<ReportCell[][]> {
  const read = readerOf(snapshot, kind, scope);
  for await (const rows of snapshot.sql<StoredRow[]>`${read.rows}`.cursor(BATCH_ROWS)) {
    yield rows.flatMap(read.cells);
  }
}

/** The first rows of a report. */
export async function firstReportRows(
  snapshot: Snapshot,
  kind: ReportKind,
  scope: ReportScope,
  limit: number,
): Promise<ReportCell[][]> {
  const read = readerOf(snapshot, kind, scope);
  const rows = await snapshot.sql<StoredRow[]>`${read.rows} limit ${limit}`;
  return rows.flatMap(read.cells).slice(0, limit);
}

/** How many rows a report has. */
export async function countReportRows(
  snapshot: Snapshot,
  kind: ReportKind,
  scope: ReportScope,
): Promise<number> {
  const { count } = readerOf(snapshot, kind, scope);
  const [row] = await snapshot.sql<{ rows: string }[]>`${count}`;
  return toInteger(row?.rows ?? '0');
}

const sources: Readonly<Record<ReportKind, (snapshot: Snapshot, scope: ReportScope) => RowSource>> =
  {
    sales: saleRows,
    rewards: rewardRows,
    missed: missedRows,
    movements: movementRows,
    payouts: payoutRows,
  };

function readerOf(snapshot: Snapshot, kind: ReportKind, scope: ReportScope) {
  const { rows, count, expand } = sources[kind](snapshot, scope);
  const cells = (row: StoredRow): ReportCell[][] =>
    (expand?.(row) ?? [row]).map((one) => reportCells(reportColumns[kind], one));
  return { rows, count, cells };
}
