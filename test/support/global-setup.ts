import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createDatabase, dropDatabase } from '../../engine/cli/stack/database.ts';
import { openPool } from '../../engine/db/connection.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { readEnv } from '../../engine/env.ts';
import { stopSample } from '../web/support/stop-sample.ts';
import { startTemporaryPostgres } from './temporary-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that every test file makes its own database on. */
    serverUrl: string;
    /** A database there that is migrated and that no one is connected to, to be copied. */
    migratedDatabase: string;
    /** Where the sample runs that the browser tests share, once one of them starts it. */
    sampleFolder: string;
  }
}

/** What all tests of a run share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stopServer = await setUpServer(project);
  const dropMigrated = await setUpMigrated(project);
  const sampleFolder = await mkdtemp(join(tmpdir(), 'tributary-sample-'));
  await chmod(sampleFolder, 0o755);
  project.provide('sampleFolder', sampleFolder);
  return async () => {
    await stopSample(sampleFolder);
    await dropMigrated();
    await stopServer();
  };
}

async function setUpMigrated(project: TestProject): Promise<() => Promise<void>> {
  const server = project.getProvidedContext().serverUrl;
  const name = `migrated_${randomBytes(6).toString('hex')}`;
  const pool = openPool(await createDatabase(server, name), { max: 1 });
  await migrate(pool);
  await pool.end();
  project.provide('migratedDatabase', name);
  return () => dropDatabase(server, name);
}

/** One PostgreSQL for the whole run: the one of DATABASE_URL, or an embedded one. */
async function setUpServer(project: TestProject): Promise<() => Promise<void>> {
  const { databaseUrl } = readEnv();
  if (databaseUrl !== undefined) {
    project.provide('serverUrl', databaseUrl);
    return async () => {};
  }
  const postgres = await startTemporaryPostgres('test', false);
  project.provide('serverUrl', postgres.url);
  return postgres.remove;
}
