import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { skeletonOf } from '../../engine/core/look-alike-names.ts';
import { LOOK_ALIKES } from '../../engine/core/look-alikes.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { max: 1 });
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

it('computes the skeleton of a name in SQL as in TypeScript, for every letter that looks like another', async () => {
  const letters = LOOK_ALIKES.flatMap((group) => [...group]);
  expect(letters.length).toBeGreaterThan(900);
  const random = fc.sample(
    fc.array(fc.oneof(fc.constantFrom(...letters), fc.constantFrom(...'arvnI0 -&1Éß')), {
      maxLength: 30,
    }),
    { seed: 1, numRuns: 500 },
  );
  const names = [...letters, ...random.map((one) => one.join('')), 'Hаrbor Roasters', 'PayPaI'];
  const rows = await pool<{ name: string; skeleton: string }[]>`
    select name, commerce.name_skeleton(name) as skeleton from unnest(${names}::text[]) name`;
  const wrong = rows.filter(({ name, skeleton }) => skeletonOf(name) !== skeleton);
  expect(wrong).toEqual([]);
  expect(rows).toHaveLength(names.length);
});
