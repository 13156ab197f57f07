import { BYTE_ORDER_MARK, withoutFormula } from '../../engine/core/csv-cell.ts';
import { saveFile } from './save-file.ts';

/** A column of a file: its heading, and the cell of a row. */
export interface CsvColumn<T> {
  readonly name: string;
  readonly cell: (row: T) => string | null | undefined;
}

/** Rows as CSV (RFC 4180) with a heading line. No cell begins a formula. */
export function csvOf<T>(columns: readonly CsvColumn<T>[], rows: readonly T[]): string {
  const lines = rows.map((row) => columns.map(({ cell }) => cell(row) ?? ''));
  return [columns.map(({ name }) => name), ...lines]
    .map((cells) => `${cells.map((cell) => quoted(withoutFormula(cell))).join(',')}\r\n`)
    .join('');
}

/** Saves a CSV file so that spreadsheets read it as UTF-8. */
export function saveCsv(name: string, csv: string): void {
  saveFile(name, new Blob([BYTE_ORDER_MARK, csv], { type: 'text/csv;charset=utf-8' }));
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell;
}
