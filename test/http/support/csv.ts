/**
 * Reads CSV as RFC 4180 writes it, to the letter: CRLF alone ends a line. A byte-order mark begins the file, as for
 * spreadsheets. For tests.
 */
export function readCsv(text: string): string[][] {
  if (!text.startsWith('\ufeff')) throw new Error('the file has no byte-order mark');
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 1; at < text.length; ) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; ; at += 1) {
        if (at >= text.length) throw new Error('a quoted cell has no end');
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') {
          cell += '"';
          at += 1;
        } else break;
      }
      at += 1;
    } else {
      while (at < text.length && !/[,\r\n"]/.test(text[at] ?? '')) {
        cell += text[at];
        at += 1;
      }
    }
    row.push(cell);
    if (text[at] === ',') at += 1;
    else if (text.startsWith('\r\n', at)) {
      rows.push(row);
      row = [];
      at += 2;
    } else throw new Error(`line ${rows.length + 1}: a cell ends in ${JSON.stringify(text[at])}`);
  }
  if (row.length > 0) throw new Error('the last line has no end');
  return rows;
}
