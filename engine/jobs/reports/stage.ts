import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { csvLines } from '../../core/csv.ts';
import { BYTE_ORDER_MARK } from '../../core/csv-cell.ts';
import type { ReportCell, ReportColumn } from '../../core/report.ts';

/** Rows of a report, some at a time. */
type Batches = AsyncIterable<readonly (readonly ReportCell[])[]>;

/** Turns rows into the text of a file, one piece for each batch of rows. */
type Format = (columns: readonly ReportColumn[], batches: Batches) => AsyncGenerator<string>;

/**
 * CSV as `csvLines` writes it: a heading line first, in UTF-8 with a byte-order mark, because it is for people, whose
 * spreadsheets would otherwise misread names. Programs read JSON.
 */
async function* csv(columns: readonly ReportColumn[], batches: Batches): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLines([columns.map(({ name }) => name)]);
  for await (const rows of batches) {
    if (rows.length === 0) continue;
    yield csvLines(rows);
  }
}

/** JSON: an array with one object per row and line; each value is text or `null`. */
async function* json(columns: readonly ReportColumn[], batches: Batches): AsyncGenerator<string> {
  const names = columns.map(({ name }) => name);
  let before = '[';
  for await (const rows of batches) {
    let text = '';
    for (const row of rows) {
      const object = Object.fromEntries(names.map((name, i) => [name, row[i] ?? null]));
      text += `${before}\n${JSON.stringify(object)}`;
      before = ',';
    }
    if (text !== '') yield text;
  }
  yield before === '[' ? '[]\n' : '\n]\n';
}

/** The formats of a report, by the name in the API. */
const formats: Readonly<Record<'csv' | 'json', Format>> = { csv, json };

/** Size and hash of a written file. */
export interface FileCounts {
  /** Number of rows without the heading. */
  readonly rows: number;
  /** Bytes. */
  readonly size: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
}

interface Contents {
  readonly columns: readonly ReportColumn[];
  readonly batches: Batches;
  readonly format: 'csv' | 'json';
}

/**
 * Writes a report to a local file, and counts and hashes it. Only one batch of rows is in memory: the
 * next one is read when the last is written.
 * @throws if the signal aborts, or the disk or the rows fail.
 */
export async function stageReport(
  path: string,
  { columns, batches, format }: Contents,
  signal: AbortSignal,
): Promise<FileCounts> {
  const hash = createHash('sha256');
  let rows = 0;
  let size = 0;
  const counted = async function* () {
    for await (const batch of batches) {
      rows += batch.length;
      yield batch;
    }
  };
  const bytes = async function* () {
    for await (const text of formats[format](columns, counted())) {
      const piece = Buffer.from(text, 'utf8');
      hash.update(piece);
      size += piece.length;
      yield piece;
    }
  };
  await pipeline(bytes, createWriteStream(path, { mode: 0o600 }), { signal });
  return { rows, size, sha256: hash.digest('hex') };
}
