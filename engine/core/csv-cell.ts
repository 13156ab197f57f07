/**
 * A text that spreadsheets take for a formula: it begins with one of these characters, after blanks,
 * invisible characters and control characters of any kind.
 */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Z}\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/u;

/**
 * A cell that no spreadsheet runs: text that would begin a formula gets an apostrophe in front (OWASP,
 * "CSV Injection"). Numbers are unchanged, so that an amount below zero stays one.
 */
export function withoutFormula(cell: string): string {
  return FORMULA.test(cell) && !/^-[0-9]+(?:\.[0-9]+)?$/.test(cell) ? `'${cell}` : cell;
}

/** Byte-order mark at the beginning of a file: by it spreadsheets know that its text is UTF-8. */
export const BYTE_ORDER_MARK = '\ufeff';
