import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createDatabase, dropDatabase } from '../../engine/cli/stack/database.ts';
import { TestDeployment } from '../../test/support/deployment.ts';
import { checksumOf, percentile, spreadOf } from '../harness/measure.ts';
import { type Bench, type Result, ratioOf, type Suite } from '../harness/suite.ts';
import { type SalesChain, startSalesChain } from '../support/sales-chain.ts';
import {
  type Arrival,
  type Watch,
  watchArrival,
  watchIndexed,
  watchReadable,
  wsUrlOf,
} from './watch.ts';

/** How sales come: one at a time with the machine idle between, or 500 a second. */
const LOADS = ['idle', '500 sales/s'] as const;
type Load = (typeof LOADS)[number];

const ARRIVALS: readonly Arrival[] = ['polling', 'ws'];

/** At 500 sales a second: a block of 100 every 200 ms. */
const BLOCK_SALES = 100;
const BLOCK_MS = 200;

/** Until a fresh deployment has settled what there is before the first sale. */
const LONGEST_MS = 180_000;

/** Milliseconds of each sale, from its block on, until three watchers saw it. */
interface Times {
  readonly arrived: number[];
  readonly indexed: number[];
  readonly readable: number[];
}

/** Times of one deployment under one load. */
interface Round {
  readonly load: Load;
  readonly arrival: Arrival;
  readonly times: Times;
}

/** From a sale's block to the read that has it. */
export const freshnessSuite: Suite = {
  name: 'freshness',
  about: 'mined → readable, by polling and by WebSocket, idle and at 500 sales a second',
  run: async (bench) => {
    const blocks = bench.quick ? 15 : 60;
    const rounds: Round[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      for (const arrival of round % 2 === 0 ? ARRIVALS : ARRIVALS.toReversed()) {
        const sales = await startSalesChain();
        try {
          for (const [load, times] of await ofDeployment(bench, sales, arrival, blocks)) {
            rounds.push({ load, arrival, times });
          }
        } finally {
          await sales.stop();
        }
      }
    }
    return LOADS.flatMap((load) =>
      ARRIVALS.flatMap((arrival) => {
        const own = rounds.filter((one) => one.load === load && one.arrival === arrival);
        return linesOf(
          load,
          arrival,
          own.map(({ times }) => times),
        );
      }),
    );
  },
};

async function ofDeployment(
  bench: Bench,
  sales: SalesChain,
  arrival: Arrival,
  blocks: number,
): Promise<readonly (readonly [Load, Times])[]> {
  const { chain } = sales;
  const url = await createDatabase(bench.postgresUrl, 'freshness');
  const deployment = await TestDeployment.open(chain, { database: { url, drop: async () => {} } });
  const watches: Watch[] = [];
  try {
    await deployment.startIndexer({
      logFile: join(chain.dir, 'indexer.log'),
      ...(arrival === 'ws' ? { rpcWsUrl: wsUrlOf(chain) } : {}),
    });
    deployment.startWorker();
    await deployment.indexer.ready();
    await settledWhileMining(deployment);
    const { pool, indexer } = deployment;
    watches.push(
      await watchArrival(chain, arrival),
      watchIndexed(pool, indexer.schema),
      watchReadable(pool),
    );
    const results: [Load, Times][] = [];
    let made = 0;
    for (const load of LOADS) {
      const perBlock = load === 'idle' ? 1 : BLOCK_SALES;
      results.push([load, await sell(sales, watches, load, blocks, perBlock)]);
      made += blocks * perBlock;
    }
    // A fast wrong answer fails: every sale is there, as the chain has it.
    const [row] = await pool<{ sales: string; discrepancies: string }[]>`
      select (select count(*) from ledger.sale) as sales,
        (select count(*) from ledger.discrepancy) as discrepancies`;
    if (Number(row?.sales) !== made || row?.discrepancies !== '0') {
      throw new Error(`of ${made} sales ${row?.sales} are in the ledger`);
    }
    return results;
  } finally {
    await Promise.all(watches.map((watch) => watch.stop()));
    await deployment.close();
    await dropDatabase(bench.postgresUrl, 'freshness');
  }
}

/** An indexer that subscribes, and does not poll, continues after its start with the next block. */
async function settledWhileMining(deployment: TestDeployment): Promise<void> {
  const miner = setInterval(() => void deployment.chain.client.mine({ blocks: 1 }), 2_000);
  try {
    await deployment.settledToHead(LONGEST_MS);
  } finally {
    clearInterval(miner);
  }
}

async function sell(
  { mineSales }: SalesChain,
  [arrival, indexer, reader]: readonly Watch[],
  load: Load,
  blocks: number,
  perBlock: number,
): Promise<Times> {
  if (!arrival || !indexer || !reader) throw new Error('somebody does not watch');
  const times: Times = { arrived: [], indexed: [], readable: [] };
  const open: Promise<void>[] = [];
  for (let i = 0; i < blocks; i += 1) {
    const started = performance.now();
    const number = await mineSales(perBlock);
    const mined = performance.now();
    // All sales of a block become readable together, so each of them has the block's time.
    const note = (to: number[], at: number) => {
      for (let sale = 0; sale < perBlock; sale += 1) to.push(Math.max(0, at - mined));
    };
    const seen = Promise.all([
      arrival.reached(number).then((at) => note(times.arrived, at)),
      indexer.reached(number).then((at) => note(times.indexed, at)),
      reader.reached(number).then((at) => note(times.readable, at)),
    ]).then(() => {});
    open.push(seen);
    if (load === 'idle') await seen;
    // Idle: so that sales do not fall into step with the polling.
    const pause = load === 'idle' ? (i * 37) % 101 : BLOCK_MS - (performance.now() - started);
    await setTimeout(Math.max(0, pause));
  }
  await Promise.all(open);
  return times;
}

function linesOf(load: Load, arrival: Arrival, rounds: readonly Times[]): readonly Result[] {
  const workload = `${load}, ${arrival}`;
  const spread = (of: keyof Times, share: number) =>
    spreadOf(rounds.map((times) => percentile(times[of], share)));
  const sales = rounds.reduce((sum, { readable }) => sum + readable.length, 0);
  const line = (name: string, of: keyof Times, share: number, most: number | null): Result => {
    const [ours, figure] = [spread(of, share), spread('arrived', share)];
    return {
      workload: `${workload}: mined → ${name}, ${share === 0.5 ? 'p50' : 'p99'}`,
      unit: 'ms',
      ours,
      ceiling: { name: 'block arrival', figure },
      ratio: ratioOf('ms', ours, figure),
      aim: most === null ? null : { text: `≤ ${most} ms`, met: ours.median <= most },
      checksum: checksumOf(String(sales)),
    };
  };
  const beyondIndexer = (): Result => {
    const ours = spreadOf(
      rounds.map(({ indexed, readable }) =>
        percentile(
          readable.map((at, i) => at - (indexed[i] ?? 0)),
          0.5,
        ),
      ),
    );
    const most = arrival === 'ws' ? 20 : null;
    return {
      workload: `${workload}: indexed → readable, p50`,
      unit: 'ms',
      ours,
      ceiling: null,
      ratio: null,
      aim: most === null ? null : { text: `≤ ${most} ms`, met: ours.median <= most },
      checksum: checksumOf(String(sales)),
    };
  };
  return [
    line('indexed', 'indexed', 0.5, null),
    line('readable', 'readable', 0.5, load === 'idle' ? null : 200),
    line('readable', 'readable', 0.99, 400),
    ...(load === 'idle' ? [beyondIndexer()] : []),
  ];
}
