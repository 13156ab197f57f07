import { afterAll, expect, inject, it } from 'vitest';
import { closePool, openPool } from '../../engine/db/connection.ts';
import { arrayTypes } from '../../engine/db/driver/array-types.ts';

const pool = openPool(inject('serverUrl'), { max: 1 });

afterAll(async () => {
  await closePool(pool);
});

const odd = ['', 'null', 'NULL', 'a,b', '{"}', 'back\\slash', '"quoted"', ' space ', 'é☃', null];

it.each([
  ['text', odd],
  ['varchar', odd],
  ['int4', [1, -2, null]],
  ['int8', ['9223372036854775807', '-1']],
  [
    'numeric',
    ['115792089237316195423570985008687907853269984665640564039457584007913129639935', null],
  ],
  ['float8', [0.5, null]],
  ['uuid', ['6f1a2b3c-0000-4000-8000-000000000001']],
  ['text', []],
  [
    'text',
    [
      ['a', 'b'],
      ['c', '}'],
    ],
  ],
])('sends and reads an array of %s unchanged', async (type, elements) => {
  const [row] = await pool`select ${elements as string[]}::${pool.unsafe(type)}[] as elements`;
  expect(row?.elements).toEqual(elements);
});

it.each([
  ['bool', '{t,f,null}', [true, false, null]],
  ['bytea', '{"\\\\x00ff",null}', ['0x00ff', null]],
  ['timestamptz', '{2026-11-25 12:00:00.123Z}', [new Date('2026-11-25T12:00:00.123Z')]],
  ['jsonb', '{"{\\"a\\": [1]}"}', [{ a: [1] }]],
])('reads an array of %s', async (type, literal, elements) => {
  const [row] = await pool`select ${literal}::text::${pool.unsafe(type)}[] as elements`;
  expect(row?.elements).toEqual(elements);
});

it('knows the number of each type as the server does', async () => {
  const names = Object.keys(arrayTypes).map((name) => name.slice(0, -2));
  const rows = await pool<{ typname: string; typarray: number }[]>`
    select typname, typarray::int from pg_type
    where typname = any(${names}::text[]) and typnamespace = 'pg_catalog'::regnamespace`;
  const numbers = Object.fromEntries(
    rows.map(({ typname, typarray }) => [`${typname}[]`, typarray]),
  );
  const known = Object.entries(arrayTypes).map(([name, { to }]) => [name, to]);
  expect(Object.fromEntries(known)).toEqual(numbers);
});
