import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../engine/cli/stack/postgres.ts';
import { readEnv } from '../../engine/env.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that every test file makes its own database on. */
    serverUrl: string;
  }
}

/** One PostgreSQL for the whole run: the one of DATABASE_URL, or an embedded one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { databaseUrl } = readEnv();
  if (databaseUrl !== undefined) {
    project.provide('serverUrl', databaseUrl);
    return async () => {};
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-test-'));
  // The server's account must be able to pass it.
  await chmod(dataDir, 0o755);
  const postgres = await startPostgres({ dataDir, durable: false });
  project.provide('serverUrl', postgres.url);
  return async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
