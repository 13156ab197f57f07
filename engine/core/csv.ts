import { stringify } from 'csv-stringify/sync';
import type { ReportCell } from './report.ts';

/**
 * Rows as CSV (RFC 4180): CRLF, and quotes only if needed. A cell of `null` is empty, and no cell begins a
 * formula.
 */
export function csvLines(rows: readonly (readonly ReportCell[])[]): string {
  const safe = rows.map((row) => row.map((cell) => cell && withoutFormula(cell)));
  // Also quotes a cell with CR or LF alone, which would break a line.
  return stringify(safe, { record_delimiter: '\r\n', quote_record_delimiter: true });
}

/**
 * A text that spreadsheets take for a formula: it begins with one of these characters, after blanks,
 * invisible characters and control characters of any kind.
 */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Z}\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/u;

/**
 * A cell that no spreadsheet runs: text that would begin a formula gets an apostrophe in front (OWASP,
 * "CSV Injection"). Integers are unchanged, so that an amount below zero stays a number.
 */
function withoutFormula(cell: string): string {
  return FORMULA.test(cell) && !/^-[0-9]+$/.test(cell) ? `'${cell}` : cell;
}
