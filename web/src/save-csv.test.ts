import { expect, it } from 'vitest';
import { csvOf } from './save-csv.ts';

it('writes rows as CSV in which no cell begins a formula and none breaks a line', () => {
  const columns = [
    { name: 'Name', cell: ({ name }: { name: string | null }) => name },
    { name: 'Twice', cell: ({ name }: { name: string | null }) => name && `${name}, ${name}` },
  ];
  expect(csvOf(columns, [{ name: '=1+1' }, { name: 'a "b"' }, { name: null }])).toBe(
    'Name,Twice\r\n\'=1+1,"\'=1+1, =1+1"\r\n"a ""b""","a ""b"", a ""b"""\r\n,\r\n',
  );
});
