import type { Sql } from '../db/connection.ts';
import { eventAt, type NamedEvent } from '../db/read/system/replay-anchor.ts';
import type { Cursor } from '../db/write/cursor.ts';
import type { DifferingRow, RowText, TableDifference } from '../db/write/replay-rows.ts';

/** The first event with rows that differ. */
export interface FirstDifference {
  readonly seq: number;
  /** The event as refolded, or as stored if the chain has no such event. */
  readonly event: NamedEvent | null;
  readonly rows: readonly DifferingRow[];
}

/** The first event with a row that differs; `null` if there is none, or only the newest state differs. */
export async function firstDifference(
  sql: Sql,
  campaignId: string,
  tables: readonly TableDifference[],
): Promise<FirstDifference | null> {
  const seqs = tables.flatMap(({ firstSeq }) => (firstSeq === null ? [] : [firstSeq]));
  if (seqs.length === 0) return null;
  const seq = Math.min(...seqs);
  return {
    seq,
    event: (await eventAt(sql, campaignId, seq)) ?? null,
    rows: tables.flatMap(({ examples }) => examples.filter((row) => row.seq === seq)),
  };
}

/** Compares cursors, which belong to a campaign and not to one of its events. */
export function differingCursor(stored: Cursor, refolded: Cursor): TableDifference[] {
  const [before, after] = [cursorText(stored), cursorText(refolded)];
  if (Object.keys(before).every((name) => before[name] === after[name])) return [];
  const example = { table: 'cursor', seq: null, stored: before, refolded: after };
  return [{ table: 'cursor', rows: 1, firstSeq: null, examples: [example] }];
}

function cursorText({ seq, at, digest }: Cursor): RowText {
  return {
    seq: String(seq),
    block_number: at === null ? null : String(at.blockNumber),
    log_index: at === null ? null : String(at.logIndex),
    block_hash: at?.blockHash ?? null,
    digest,
  };
}
