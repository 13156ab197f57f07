import { stringify } from 'csv-stringify/sync';
import { withoutFormula } from './csv-cell.ts';
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
