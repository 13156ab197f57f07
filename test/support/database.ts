import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createDatabase, dropDatabase } from '../../engine/cli/stack/database.ts';

/** A database of one test file. */
export type TestDatabase = {
  readonly url: string;
  drop(): Promise<void>;
};

/** Makes an empty database on the run's server. Drop it in `afterAll`, after all that uses it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('serverUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(server, name);
  return { url, drop: () => dropDatabase(server, name) };
}
