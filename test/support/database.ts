import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createDatabase, dropDatabase } from '../../engine/cli/stack/database.ts';
import { expectNoBytesIn } from './no-bytes.ts';
import { copyDatabase } from './temporary-postgres.ts';

/** A database of one test file. */
export type TestDatabase = {
  readonly url: string;
  drop(): Promise<void>;
};

/**
 * Creates a database on the server that all tests share, migrated and without rows. It is a copy,
 * because migrating takes seconds. Drop it in `afterAll`, after everything that uses it; that fails if a statement
 * stored bytes as text without a word.
 *
 * @param empty true for a database to which no migration was applied.
 */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const server = inject('serverUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = empty
    ? await createDatabase(server, name)
    : await copyDatabase(server, inject('migratedDatabase'), name);
  const drop = async () => {
    try {
      await expectNoBytesIn(url);
    } finally {
      await dropDatabase(server, name);
    }
  };
  return { url, drop };
}
