import { stringify } from 'csv-stringify/sync';
import { type ReportCell, type ReportColumn, withoutFormula } from '../../core/report.ts';

/** Rows as they come: some at a time. */
export type Batches = AsyncIterable<readonly (readonly ReportCell[])[]>;

/** The text of a file, a piece for each batch of rows. */
export type Format = (columns: readonly ReportColumn[], batches: Batches) => AsyncGenerator<string>;

/**
 * RFC 4180: a heading line, CRLF, quotes where they are needed, UTF-8 without a byte-order mark; a
 * cell of `null` is empty, and no cell begins a formula.
 */
async function* csv(columns: readonly ReportColumn[], batches: Batches): AsyncGenerator<string> {
  yield csvLines([columns.map(({ name }) => name)]);
  for await (const rows of batches) {
    if (rows.length === 0) continue;
    yield csvLines(rows.map((row) => row.map((cell) => cell && withoutFormula(cell))));
  }
}

function csvLines(rows: readonly (readonly ReportCell[])[]): string {
  // Its own delimiter is all that it quotes by itself: half of one would break a line, too.
  return stringify([...rows], { record_delimiter: '\r\n', quote_record_delimiter: true });
}

/** An array of an object for each row, a line each; every value is text or `null`. */
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

export const formats: Readonly<Record<'csv' | 'json', Format>> = { csv, json };
