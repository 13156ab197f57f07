import Table from 'cli-table3';

/** Table without lines, for any terminal and for pipes. */
const PLAIN = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '' },
  middle: ' ',
};

/** Formats rows in columns, with an optional header. */
export function plainTable(rows: readonly (readonly string[])[], head?: readonly string[]): string {
  const table = new Table({
    style: { head: [], border: [] },
    chars: PLAIN,
    ...(head === undefined ? {} : { head: [...head] }),
  });
  for (const row of rows) table.push([...row]);
  return table.toString();
}
