import { afterAll, beforeAll } from 'vitest';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** A database with a pool; both exist while the tests run that it was made for. */
export interface OwnDatabase {
  readonly url: string;
  readonly pool: Pool;
}

/**
 * Makes a migrated database without rows for the tests of a file, or of the `describe` that calls this.
 *
 * @param max connections of its pool.
 */
export function useDatabase({ max = 1 } = {}): OwnDatabase {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url, { max });
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });
  return {
    get url() {
      return database.url;
    },
    get pool() {
      return pool;
    },
  };
}
