/**
 * How much processor time of the primary a read takes with no replica, one and two, with real streaming replication:
 * `npx tsx bench/replicas.ts`. The results are in docs/operate/replicas.md. Nothing is cached, as while settlement commits.
 */
import { setTimeout } from 'node:timers/promises';
import { Command } from 'commander';
import { closePool, openPool } from '../engine/db/connection.ts';
import { migrate } from '../engine/db/migrate.ts';
import { readSettings } from '../engine/db/read/snapshot.ts';
import { createApp } from '../engine/http/app.ts';
import { Replicas } from '../engine/http/replicas/replicas.ts';
import { signedIn } from '../test/http/support/session.ts';
import { account } from '../test/support/history.ts';
import { InstalledPostgres } from '../test/support/installed-postgres.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { fillFullLedger } from './data/full-ledger.ts';
import { cpuMsOf } from './harness/cpu.ts';
import { benchDeps } from './reads/deps.ts';

const { sales, rounds, requests } = new Command('bench/replicas')
  .option('--sales <n>', 'sales in the ledger', Number, 50_000)
  .option('--rounds <n>', 'rounds, each with every number of replicas', Number, 3)
  .option('--requests <n>', 'requests of each kind in a round', Number, 600)
  .parse()
  .opts<{ sales: number; rounds: number; requests: number }>();

/** As the API opens them. */
const CONNECTIONS = { reads: 5, longReads: 2 };
/** Concurrent requests. */
const CONCURRENT = 8;
const DATABASE = 'bench';
/** Time between two ticks of settlement, and for which reads are counted meanwhile. */
const TICK_MS = 500;
const MOVING_MS = 10_000;

const servers: InstalledPostgres[] = [];
const opened: Replicas[] = [];
const settings = ['shared_buffers=256MB'];
try {
  const primary = await InstalledPostgres.primary({ settings });
  servers.push(primary);
  const url = await primary.createDatabase(DATABASE);
  const pool = openPool(url, { max: CONNECTIONS.reads, settings: readSettings });
  await migrate(pool);
  const [merchant, earner] = [account(1), account(2)];
  await fillFullLedger(url, { sales, merchant, earner });
  const standbys = [await primary.standby({ settings }), await primary.standby({ settings })];
  servers.push(...standbys);
  const urls = standbys.map((one) => one.url(DATABASE));
  const deps = { ...benchDeps(), pool };
  const { reading } = await signedIn(deps, earner);
  const session = { cookie: `${reading.cookie}; __Host-tributary-written=0` };
  const kinds = [
    { name: 'receipts.get', path: (i: number) => `/v1/receipts/31337/${1 + ((i * 97) % sales)}` },
    { name: 'campaigns.list', path: () => '/v1/campaigns?sort=budget&status=active' },
    { name: 'earnings.summary', path: () => '/v1/me/earnings', headers: session },
  ];
  const setups = [];
  for (const count of [0, 1, 2]) {
    const replicas =
      count === 0
        ? undefined
        : await Replicas.open({
            primary: pool,
            urls: urls.slice(0, count),
            connections: CONNECTIONS,
            logger: deps.logger,
          });
    if (replicas !== undefined) opened.push(replicas);
    setups.push({ count, replicas, app: createApp({ ...deps, replicas }) });
  }
  await waitFor(
    () => opened.every((one) => one.states().every(({ state }) => state === 'in-use')),
    {
      what: 'the replicas',
    },
  );
  const roots = [await primary.pid()];
  const table: Record<string, Record<string, string>> = {};
  for (const { name, path, headers = {} } of kinds) {
    const spent = setups.map(() => [] as number[]);
    for (let round = -1; round < rounds; round += 1) {
      for (const [index, { app }] of setups.entries()) {
        const before = (await cpuMsOf(roots)) ?? Number.NaN;
        let next = 0;
        const client = async () => {
          for (let i = next++; i < requests; i = next++) {
            const response = await app.request(path(i), { headers });
            if (response.status !== 200) throw new Error(await response.text());
            await response.arrayBuffer();
          }
        };
        await Promise.all(Array.from({ length: CONCURRENT }, client));
        const after = (await cpuMsOf(roots)) ?? Number.NaN;
        // The first round warms the connections.
        if (round >= 0) spent[index]?.push(((after - before) * 1_000) / requests);
      }
    }
    const medians = spent.map(medianOf);
    table[name] = Object.fromEntries(
      medians.map((one, count) => [
        `${count} replicas, µs`,
        `${Math.round(one)} (${((100 * one) / (medians[0] ?? 1)).toFixed(0)} %)`,
      ]),
    );
    console.error(name, spent.map((all) => all.map(Math.round).join(' ')).join(' | '));
  }
  console.table(table);
  for (const { counts } of opened) console.log(counts);
  // While heads are written, a read goes to the primary until a replica is known to have the newest one.
  const [, one] = setups;
  const [kind] = kinds;
  if (one?.replicas === undefined || kind === undefined) throw new Error('There is no replica.');
  const { counts } = one.replicas;
  const before = { primary: counts.primary, replica: counts.replicas[0] ?? 0 };
  let isReading = true;
  const ticks = (async () => {
    while (isReading) {
      await pool`update ledger.head set updated_at = clock_timestamp()`;
      await setTimeout(TICK_MS);
    }
  })();
  const began = performance.now();
  let read = 0;
  const reader = async () => {
    for (; performance.now() - began < MOVING_MS; read += 1) {
      const response = await one.app.request(kind.path(read));
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, reader));
  isReading = false;
  await ticks;
  const onPrimary = counts.primary - before.primary;
  const onReplica = (counts.replicas[0] ?? 0) - before.replica;
  console.log(
    `A tick every ${TICK_MS} ms: ${onPrimary} reads on the primary, ${onReplica} on the replica.`,
  );
  await closePool(pool);
} finally {
  await Promise.all(opened.map((one) => one.close()));
  await Promise.all(servers.map((server) => server.remove()));
}

function medianOf(all: readonly number[]): number {
  return [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}
