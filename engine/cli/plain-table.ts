import Table from 'cli-table3';

/** No lines: the columns alone carry it, on any terminal and in a pipe. */
const PLAIN = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '' },
  middle: ' ',
};

/** Rows as text in columns, under a head where there is one. */
export function plainTable(rows: readonly (readonly string[])[], head?: readonly string[]): string {
  const table = new Table({
    style: { head: [], border: [] },
    chars: PLAIN,
    ...(head === undefined ? {} : { head: [...head] }),
  });
  for (const row of rows) table.push([...row]);
  return table.toString();
}
