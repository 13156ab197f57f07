import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { contractReader } from '../../engine/chain/contract-reader.ts';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { cliCommand, spawnChild } from '../../engine/cli/stack/processes.ts';
import { createEndpoint } from '../../engine/db/commerce/webhook-endpoints.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { digestsAt } from '../../engine/db/read/system/digests.ts';
import { deriveKeys } from '../../engine/secrets/keys.ts';
import { seal } from '../../engine/secrets/seal.ts';
import { audit } from '../../engine/settlement/audit.ts';
import { chainEnv, startTestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { TestDeployment } from '../support/deployment.ts';
import { account } from '../support/history.ts';
import { InstalledPostgres, postgresIsInstalled } from '../support/installed-postgres.ts';
import { runCli } from '../support/run-cli.ts';
import { Traffic } from '../support/traffic.ts';
import { waitFor } from '../support/wait-for.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

/** A test takes a minute on two free cores, and more than two next to others on slow ones. */
const LONGEST_MS = 600_000;

/** What a test has brought up, to be stopped in reverse order. */
const running: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

describe('a backup of a running deployment', () => {
  it(
    'restores to the same root, whether the ledger is built from the chain or loaded',
    async () => {
      const { deployment, traffic } = await scene();
      const target = join(deployment.chain.dir, 'backups');
      const made = async (args: readonly string[]) => {
        const [result] = await Promise.all([
          cli(deployment, ['backup', '--to', target, '--json', ...args]),
          traffic.play(3),
        ]);
        expect(result).toMatchObject({ code: 0, stderr: '' });
        return JSON.parse(result.stdout);
      };
      const { name: plain } = await made([]);
      const { name: loaded } = await made(['--with-ledger']);
      await deployment.settledToHead();

      const built = await restored(deployment, `${target}/backups/${plain}`);
      await built.startIndexer();
      built.startWorker();
      const verified = await cli(built, ['restore', 'verify', '--wait', '280', '--json']);
      expect(verified).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(verified.stdout).result).toBe('equal');
      await expectSame(built, deployment);

      const other = await restored(deployment, `${target}/backups/${loaded}`);
      // Reads work before an indexer has been started.
      const url = await startApi(other);
      const receipt = await fetch(`${url}/v1/receipts/31337/1`);
      expect(receipt.status).toBe(200);
      await other.startIndexer();
      other.startWorker();
      await traffic.play(2);
      await deployment.settledToHead();
      await expectSame(other, deployment);
      const status = (await (await fetch(`${url}/v1/system/status`)).json()) as { data: object };
      expect(status.data).toMatchObject({ status: 'ok', alarms: [], stopped: [] });
    },
    LONGEST_MS,
  );

  it(
    'sends no webhook again that was sent after the backup, and sends the next ones',
    async () => {
      const receiver = await WebhookReceiver.open();
      running.push(() => receiver.close());
      const { deployment, traffic } = await scene({ env: WEBHOOKS });
      await createEndpoint(deployment.pool, {
        ...{ id: 'endpoint-1', owner: await merchantOf(deployment.pool), url: receiver.url },
        ...{ events: ['*'], isOrdered: false, createdAt: new Date() },
        secret: seal(receiver.secret, deriveKeys([WEBHOOKS.SECRET]), 'webhook secret'),
      });
      await traffic.play(6);
      await deployment.settledToHead();
      const target = join(deployment.chain.dir, 'backups');
      const made = await cli(deployment, ['backup', '--to', target]);
      expect(made).toMatchObject({ code: 0, stderr: '' });
      await traffic.play(6);
      await deployment.settledToHead();
      await untilSent(deployment.pool);
      const before = receiver.received.length;
      expect(before).toBeGreaterThan(3);
      await deployment.stopParts();

      const again = await restored(deployment, target);
      await again.startIndexer();
      again.startWorker(WEBHOOKS);
      await again.settledToHead();
      await untilSent(again.pool);
      expect(receiver.received.length).toBe(before);
      await traffic.play(6);
      await again.settledToHead();
      await waitFor(() => receiver.received.length > before, { what: 'the next webhooks' });
      await untilSent(again.pool);
      const ids = receiver.received.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(receiver.malformed).toEqual([]);
    },
    LONGEST_MS,
  );
});

describe.runIf(postgresIsInstalled)('a database that PostgreSQL’s own tools bring back', () => {
  it(
    'continues from a point in time, and has the root of the chain',
    async () => {
      const server = await InstalledPostgres.primary({ archivesLog: true });
      running.push(() => server.remove());
      const database = databaseOf(await server.createDatabase('shop'));
      const { deployment, traffic } = await scene({ database });
      const base = join(server.folder, 'base');
      await server.baseBackup(base);
      await traffic.play(3);
      await deployment.settledToHead();
      const block = Number(await deployment.chain.client.getBlockNumber());
      const before = await digestsAt(deployment.pool, block);
      const [now] = await deployment.pool`select now()::text as time`;

      // What must not have happened, and more sales.
      await traffic.play(2);
      await deployment.pool`delete from commerce.merchant`;
      await deployment.pool`select pg_switch_wal()`;
      await deployment.settledToHead();
      await deployment.stopParts();
      await server.recover(base, String(now?.time));
      await waitFor(
        async () =>
          (await deployment.pool`select pg_is_in_recovery() as recovering`)[0]?.recovering ===
          false,
        { what: 'the end of the recovery' },
      );
      expect(await deployment.pool`select id from commerce.merchant`).toEqual([{ id: 'm-shop' }]);
      const epoch = await epochOf(deployment.pool);
      const after = await cli(deployment, ['restore', 'after-recovery', '--json']);
      expect(after).toMatchObject({ code: 0, stderr: '' });
      expect(await epochOf(deployment.pool)).not.toBe(epoch);

      await deployment.startIndexer();
      deployment.startWorker();
      await deployment.settledToHead();
      expect(await digestsAt(deployment.pool, block)).toEqual(before);
      const report = await audit(deployment.pool, contractReader(chainEnv(deployment.chain)));
      expect(report).toMatchObject({ violations: [], discrepancies: 0, campaigns: 2 });
    },
    LONGEST_MS,
  );

  it(
    'moves to a server of another major version by a backup with the ledger',
    async ({ skip }) => {
      const server = await InstalledPostgres.primary();
      running.push(() => server.remove());
      const { deployment, traffic } = await scene({
        database: databaseOf(await server.createDatabase('shop')),
      });
      const database = await createTestDatabase({ empty: true });
      const pool = openPool(database.url, { max: 2 });
      running.push(async () => {
        await pool.end();
        await database.drop();
      });
      const [from, to] = [await majorVersion(deployment.pool), await majorVersion(pool)];
      if (from === to) skip(`Both servers are PostgreSQL ${from}.`);
      await deployment.stopParts();
      const target = join(deployment.chain.dir, 'backups');
      const made = await cli(deployment, ['backup', '--to', target, '--with-ledger']);
      expect(made).toMatchObject({ code: 0, stderr: '' });

      const result = await runCli(['restore', '--from', target, '--resend', '--json'], {
        ...variables(deployment),
        DATABASE_URL: database.url,
      });
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(result.stdout)).toMatchObject({
        cancelled: 0,
        comparison: { result: 'equal' },
      });
      expect(await epochOf(pool)).not.toBe(await epochOf(deployment.pool));
      const moved = await TestDeployment.open(deployment.chain, {
        database: databaseOf(database.url),
      });
      running.push(() => moved.close());
      await moved.startIndexer();
      moved.startWorker();
      await traffic.play(3);
      await deployment.startIndexer();
      deployment.startWorker();
      await deployment.settledToHead();
      await expectSame(moved, deployment);
    },
    LONGEST_MS,
  );

  it(
    'continues from a dump of the whole database',
    async () => {
      const server = await InstalledPostgres.primary();
      running.push(() => server.remove());
      const database = databaseOf(await server.createDatabase('shop'));
      const { deployment, traffic } = await scene({ database });
      const dump = join(server.folder, 'tributary.sql');
      await server.program('pg_dump', database.url, '-f', dump);
      await traffic.play(3);
      await deployment.settledToHead();
      const empty = databaseOf(await server.createDatabase('again'));
      await server.program('psql', '-q', '-v', 'ON_ERROR_STOP=1', '-f', dump, empty.url);
      const again = await TestDeployment.open(deployment.chain, { database: empty });
      running.push(() => again.close());
      const after = await cli(again, ['restore', 'after-recovery', '--json']);
      expect(after).toMatchObject({ code: 0, stderr: '' });
      await again.startIndexer();
      again.startWorker();
      await expectSame(again, deployment);
    },
    LONGEST_MS,
  );
});

/** Variables of workers that send webhooks. */
const WEBHOOKS = {
  SECRET: 'a secret of these tests, 32 characters',
  DESIGNED_METHODS: 'webhooks',
} as const;

/** Waits until all changes of the ledger are published, and no webhook is due. */
async function untilSent(pool: Pool): Promise<void> {
  await waitFor(
    async () => {
      const [row] = await pool<{ done: boolean }[]>`
        select cursor.sequence = head.sequence and cursor.epoch = head.stream_epoch and not exists (
          select 1 from commerce.webhook_delivery where status in ('queued', 'sending')
        ) as done
        from commerce.webhook_cursor cursor, ledger.head`;
      return row?.done === true;
    },
    { what: 'all webhooks to be sent', timeout: 60_000 },
  );
}

async function merchantOf(pool: Pool): Promise<`0x${string}`> {
  const [row] = await pool<{ merchant: `0x${string}` }[]>`
    select merchant from ledger.campaign where campaign_id = 1`;
  if (row === undefined) throw new Error('there is no campaign 1');
  return row.merchant;
}

/** A chain with a history, and a deployment that has settled it and has a profile. */
async function scene({
  database,
  env = {},
}: {
  database?: TestDatabase;
  env?: Readonly<Record<string, string>>;
} = {}) {
  const chain = await startTestChain();
  running.push(() => chain.stop());
  const traffic = await Traffic.start(chain, 21, 2);
  await traffic.play(15);
  await chain.client.mine({ blocks: 65 });
  await traffic.play(3);
  const deployment = await TestDeployment.open(chain, database === undefined ? {} : { database });
  running.push(() => deployment.close());
  await deployment.startIndexer();
  deployment.startWorker(env);
  await deployment.settledToHead();
  await deployment.pool`
    insert into commerce.merchant (id, address, slug, name)
    values ('m-shop', ${account(7)}, 'shop', 'A shop')`;
  return { deployment, traffic };
}

/** A database of a server that is deleted as a whole. */
function databaseOf(url: string): TestDatabase {
  return { url, drop: async () => {} };
}

/** A deployment over an empty database into which a backup was restored. */
async function restored(source: TestDeployment, backup: string): Promise<TestDeployment> {
  const database = await createTestDatabase({ empty: true });
  const result = await runCli(['restore', '--from', backup, '--json'], {
    ...variables(source),
    DATABASE_URL: database.url,
  });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  const deployment = await TestDeployment.open(source.chain, { database });
  running.push(() => deployment.close());
  expect(await deployment.pool`select id from commerce.merchant`).toEqual([{ id: 'm-shop' }]);
  return deployment;
}

/** Waits until both are settled up to the head, and compares all digests and the ledger with the contract. */
async function expectSame(deployment: TestDeployment, source: TestDeployment): Promise<void> {
  await deployment.settledToHead();
  const block = Number(await source.chain.client.getBlockNumber());
  expect(await digestsAt(deployment.pool, block)).toEqual(await digestsAt(source.pool, block));
  const report = await audit(deployment.pool, contractReader(chainEnv(deployment.chain)));
  expect(report).toMatchObject({ violations: [], discrepancies: 0, campaigns: 2 });
}

async function majorVersion(pool: Pool): Promise<number> {
  const [row] = await pool<{ version: string }[]>`
    select current_setting('server_version_num') as version`;
  return Math.floor(Number(row?.version) / 10_000);
}

async function epochOf(pool: Pool): Promise<unknown> {
  const [head] = await pool`select stream_epoch from ledger.head`;
  return head?.stream_epoch;
}

async function startApi(deployment: TestDeployment): Promise<string> {
  const port = await freePort();
  const api = spawnChild({
    name: 'api',
    ...cliCommand(['api']),
    env: { ...variables(deployment), PORT: String(port) },
    logFile: join(deployment.chain.dir, `api-${port}.log`),
  });
  running.push(() => api.stop());
  const url = `http://127.0.0.1:${port}`;
  await waitFor(async () => (await fetch(`${url}/ready`)).ok, { what: 'the API', timeout: 60_000 });
  return url;
}

function cli(deployment: TestDeployment, args: readonly string[]) {
  return runCli(args, variables(deployment));
}

/** The variables of a command on a deployment, with files apart from those of this machine. */
function variables(deployment: TestDeployment): Record<string, string> {
  return { ...deployment.variables(), DATA_DIR: deployment.chain.dir };
}
