import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { freePort } from '../../../engine/cli/stack/free-port.ts';
import { projectRoot } from '../../../engine/cli/stack/processes.ts';
import { createClient } from '../../../engine/client/index.ts';
import { inheritedEnv } from '../../../engine/env.ts';
import { waitFor } from '../../support/wait-for.ts';

/** The sample, running with its site as `npm start` runs it. */
export interface SampleSite {
  readonly url: string;
  readonly rpcUrl: string;
  readonly contractAddress: `0x${string}`;
}

/** Milliseconds for everything: the site built, the sample played, settled and filled. */
const START_MS = 300_000;

/**
 * The one sample that all files of browser tests look at: the first one starts it, and the
 * run's global teardown stops it. Tests leave it unchanged, except for additional sales.
 */
export async function sampleSite(): Promise<SampleSite> {
  const folder = inject('sampleFolder');
  const first = await mkdir(join(folder, 'data')).then(
    () => true,
    () => false,
  );
  if (first) await start(folder);
  return await waitFor(() => running(folder), { what: 'the sample', timeout: START_MS });
}

async function start(folder: string): Promise<void> {
  await chmod(join(folder, 'data'), 0o755);
  const log = openSync(join(folder, 'start.log'), 'a');
  const child = spawn(process.execPath, ['scripts/tributary.mjs', 'start'], {
    cwd: projectRoot,
    env: {
      ...inheritedEnv(),
      DATA_DIR: join(folder, 'data'),
      PORT: String(await freePort()),
      RATE_LIMIT_PER_MINUTE: '100000',
      DESIGNED_METHODS: 'apiKeys,team,webhooks',
      // A test receives webhooks at this machine.
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    },
    // It outlives the file that starts it.
    stdio: ['ignore', log, log],
  });
  child.unref();
  closeSync(log);
  await writeFile(join(folder, 'pid'), String(child.pid));
}

/** Where it runs, once the last of its steps is done. */
async function running(folder: string): Promise<SampleSite | undefined> {
  const log = await readFile(join(folder, 'start.log'), 'utf8');
  if (!log.includes('Tributary is running')) return undefined;
  const path = join(folder, 'data', 'running.json');
  const { apiUrl, rpcUrl, contractAddress } = JSON.parse(await readFile(path, 'utf8'));
  return { url: apiUrl, rpcUrl, contractAddress };
}

/** The settled block, and the root over all campaigns. */
interface SettledRoot {
  readonly block: bigint;
  readonly root: string;
}

/** Reads the root of the settled ledger, as soon as there is one: there is none while the ledger rolls back. */
export async function settledRoot(baseUrl: string): Promise<SettledRoot> {
  const { system } = createClient({ baseUrl });
  const { data } = await waitFor(() => system.digest({ limit: 1 }), { what: 'a settled ledger' });
  return { block: BigInt(data.block), root: data.root };
}

/** Resolves when the ledger is as it was, and no longer rolls back. */
export async function ledgerAgain(baseUrl: string, before: SettledRoot): Promise<void> {
  await waitFor(
    async () => {
      const { block, root } = await settledRoot(baseUrl);
      return block === before.block && root === before.root;
    },
    { what: 'the ledger as it was' },
  );
}
