import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { type Child, projectRoot, spawnChild } from '../../engine/cli/stack/processes.ts';
import { createClient } from '../../engine/client/index.ts';
import { signingDomain } from '../../engine/core/signing-domain.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { readMigrations } from '../../engine/db/migrate.ts';
import { FollowingClient, WritingClient } from '../http/support/replacement-clients.ts';
import { signedIn } from '../http/support/session.ts';
import { caddyAvailable, startCaddy, type TestCaddy } from '../support/caddy.ts';
import { accountAt, startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { settledToHead, TestDeployment } from '../support/deployment.ts';
import { differences, dumpLedger } from '../support/ledger.ts';
import { installPreviousRelease, previousRelease } from '../support/previous-release.ts';
import { Traffic } from '../support/traffic.ts';
import { waitFor } from '../support/wait-for.ts';

/** Not the one of anvil, so that the worker asks as much as on a public chain. */
const CHAIN_ID = 7_311;

/** Origin of the page that writes. */
const ORIGIN = 'https://shop.example';

/** Clients that keep their connections to the proxy. */
const CLIENTS = 6;

let previous: string;
let dir: string;
let chain: TestChain;
let traffic: Traffic;
let database: TestDatabase;
let pool: Pool;
let env: Record<string, string>;

let proxy: TestCaddy | undefined;

/** Running processes, by name. */
const parts = new Map<string, Child>();

/** A release that reads another version of the contract cannot be upgraded. */
const isUpgrade = (previousRelease.contract as string) === signingDomain.version;

beforeAll(async () => {
  if (!isUpgrade) return;
  previous = await installPreviousRelease();
  dir = await mkdtemp(join(tmpdir(), 'tributary-upgrade-'));
  chain = await startTestChain({ chainId: CHAIN_ID });
  traffic = await Traffic.start(chain, 41, 3);
  await traffic.play(30);
  database = await createTestDatabase({ empty: true });
  pool = openPool(database.url, { max: 4 });
  env = {
    DATABASE_URL: database.url,
    CHAIN_ID: String(CHAIN_ID),
    RPC_URL: chain.anvil.url,
    CONTRACT_ADDRESS: chain.contract,
    START_BLOCK: String(chain.startBlock),
    DATA_DIR: dir,
    DRAIN_SECONDS: '3',
    TRUSTED_PROXIES: '1',
    ALLOWED_ORIGINS: ORIGIN,
    RATE_LIMIT_PER_MINUTE: '1000000',
  };
}, 240_000);

afterAll(async () => {
  await Promise.all([...parts.values()].map((part) => part.stop()));
  await proxy?.stop();
  await pool?.end();
  await database?.drop();
  await chain?.stop();
  if (dir) await rm(dir, { recursive: true, force: true });
}, 120_000);

describe.skipIf(!caddyAvailable || !isUpgrade)(`an upgrade from ${previousRelease.version}`, () => {
  it('interrupts no client and settles as an undisturbed deployment does, with both releases at work', async () => {
    const apiPorts = [await freePort(), await freePort()];
    proxy = await startCaddy(apiPorts.map((port) => `127.0.0.1:${port}`));
    // The previous release has no command for the indexer alone.
    start(previous, 'indexer', ['start'], { PORT: String(await freePort()), WORKERS: '1' });
    await settled();
    start(previous, 'worker', ['worker']);
    for (const [i, port] of apiPorts.entries()) startApi(previous, `api-${i}`, port);
    await Promise.all(apiPorts.map((port) => isReady(port)));
    const { csrfToken, reading } = await signedIn(
      { pool, clock: Date.now, allowedOrigins: [ORIGIN] },
      accountAt(chain.accounts, 0).toLowerCase() as `0x${string}`,
    );
    const merchant = createClient({
      baseUrl: proxy.url,
      ...{ origin: ORIGIN, session: { csrfToken, cookie: reading.cookie } },
    });
    const { url } = proxy;
    const isPassedOn = async () => (await fetch(`${url}/v1/system/status`)).ok;
    await waitFor(isPassedOn, { what: 'Caddy to find an API that is ready' });
    await merchant.merchants.setup({ slug: 'shop', name: 'Shop' });
    const clients = readWithoutEnd(proxy.url, reading);
    const writer = new WritingClient(merchant, pool);
    const follower = await FollowingClient.open(createClient({ baseUrl: proxy.url }), pool);
    await traffic.play(5);

    // 1. Migrate, while the previous release serves and settles.
    const names = await appliedMigrations();
    await finished(projectRoot, 'migrate', ['migrate']);
    const added = (await appliedMigrations()).filter((name) => !names.includes(name));
    const all = await readMigrations();
    expect(added).toEqual(all.map(({ name }) => name).filter((name) => !names.includes(name)));
    await traffic.play(5);
    await settled();

    // 2. Workers: old and new side by side, then only new.
    start(projectRoot, 'new-worker', ['worker']);
    await traffic.play(10);
    await settled();
    await stop('worker');

    // 3. One API after the other.
    for (const [i, port] of apiPorts.entries()) {
      await stop(`api-${i}`);
      startApi(projectRoot, `api-${i}`, port);
      await isReady(port);
      // As docs/operate/recover.md says: Caddy asks once a second.
      await setTimeout(2_000);
      await Promise.all([traffic.play(3), writer.more(10)]);
    }

    // 4. The indexer.
    await stop('indexer');
    start(projectRoot, 'new-indexer', ['indexer']);
    await traffic.play(10);
    await settled();
    const { answers, failures } = await clients.stop();
    expect(failures).toEqual([]);
    expect(answers).toBeGreaterThan(200);
    await writer.stop();
    expect(writer.repeated).toEqual([]);
    expect(writer.written).toBeGreaterThan(50);
    await follower.stop();
    expect(follower.connections).toBeGreaterThan(1);

    const undisturbed = await TestDeployment.open(chain);
    await undisturbed.startIndexer();
    undisturbed.startWorker();
    await undisturbed.settledToHead();
    const [one, other] = [await dumpLedger(pool), await dumpLedger(undisturbed.pool)];
    await undisturbed.close();
    expect(one.sale?.length).toBeGreaterThan(10);
    expect(differences(one, other)).toEqual([]);

    // There is no way back to a database of an older version.
    expect(await ended(previous, 'old-api', ['api'], { PORT: String(await freePort()) })).toEqual({
      code: 1,
      log: expect.stringMatching(
        /^This database has migrations that this version does not know \(.*\): run the newer version that made them\.\n$/,
      ),
    });
  }, 300_000);
});

function logOf(name: string): string {
  return join(dir, `${name}.log`);
}

/** Starts a command of the release in that folder. */
function start(
  root: string,
  name: string,
  args: readonly string[],
  variables: Record<string, string> = {},
): Child {
  const child = spawnChild({
    name,
    command: process.execPath,
    args: [join(root, 'scripts', 'tributary.mjs'), ...args],
    cwd: root,
    env: { ...env, ...variables },
    logFile: logOf(name),
    stopSignal: 'SIGTERM',
    graceMs: 60_000,
  });
  parts.set(name, child);
  return child;
}

function startApi(root: string, name: string, port: number): void {
  start(root, name, ['api'], { PORT: String(port) });
}

async function finished(root: string, name: string, args: readonly string[]): Promise<void> {
  const { code, log } = await ended(root, name, args);
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${log}`);
}

/** Exit code of a command of the release in that folder, and what it printed. */
async function ended(
  ...command: Parameters<typeof start>
): Promise<{ code: number | null; log: string }> {
  const [, name] = command;
  const { code } = await start(...command).exited;
  parts.delete(name);
  return { code, log: await readFile(logOf(name), 'utf8') };
}

async function stop(name: string): Promise<void> {
  const exit = await parts.get(name)?.stop();
  parts.delete(name);
  expect({ name, ...exit }).toMatchObject({ name, code: 0 });
}

async function settled(): Promise<void> {
  await settledToHead({ chain, pool }, 120_000);
}

async function isReady(port: number): Promise<void> {
  await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/ready`)).ok, {
    what: `the API on port ${port} to be ready`,
    timeout: 60_000,
  });
}

async function appliedMigrations(): Promise<string[]> {
  const rows = await pool<{ name: string }[]>`
    select name from public.tributary_migration order by name`;
  return rows.map(({ name }) => name);
}

/** Reads through the proxy until it is stopped; each client keeps its connection, as browsers do. */
function readWithoutEnd(url: string, headers: Readonly<Record<string, string>>) {
  const paths = [
    '/v1/campaigns',
    '/v1/receipts',
    '/v1/auth/session',
    '/v1/system/status',
    '/v1/auth/nonce',
  ];
  let running = true;
  let answers = 0;
  const failures: string[] = [];
  const clients = Array.from({ length: CLIENTS }, async (_, i) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let n = i; running; n += 1) {
      const path = paths[n % paths.length];
      const status = await statusOf(`${url}${path}`, { agent, headers }).catch(String);
      if (status === 200) answers += 1;
      else failures.push(`${path} ${status}`);
    }
    agent.destroy();
  });
  return {
    stop: async () => {
      running = false;
      await Promise.all(clients);
      return { answers, failures };
    },
  };
}

async function statusOf(
  url: string,
  options: { agent: Agent; headers: Readonly<Record<string, string>> },
): Promise<number | undefined> {
  const outgoing = request(url, options);
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}
