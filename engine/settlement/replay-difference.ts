import type { Sql } from '../db/connection.ts';
import { eventAt, type NamedEvent } from '../db/read/replay-anchor.ts';
import type { Cursor } from '../db/write/cursor.ts';
import type { DifferingRow, RowText, TableDifference } from '../db/write/replay-rows.ts';

/** The first event that stands otherwise. */
export interface FirstDifference {
  readonly seq: number;
  /** As refolded; as stored where the chain has no such event. */
  readonly event: NamedEvent | null;
  readonly rows: readonly DifferingRow[];
}

/** The first event of which a row differs; `null` where none does, or only the newest standing. */
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

/** The cursor is what the rows lead up to: a row of its own, which no event has. */
export function differingCursor(stored: Cursor, refolded: Cursor): TableDifference[] {
  const [before, after] = [cursorText(stored), cursorText(refolded)];
  if (Object.keys(before).every((name) => before[name] === after[name])) return [];
  const example = { table: 'cursor', seq: null, stored: before, refolded: after };
  return [{ table: 'cursor', rows: 1, firstSeq: null, examples: [example] }];
}

function cursorText({ seq, at, digest }: Cursor): RowText {
  return {
    seq: String(seq),
    event_id: at?.eventId ?? null,
    block_number: at === null ? null : String(at.blockNumber),
    block_hash: at?.blockHash ?? null,
    digest,
  };
}
