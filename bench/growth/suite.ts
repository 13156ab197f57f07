import { openKeccak } from '../../engine/chain/keccak.ts';
import { dropDatabase } from '../../engine/cli/stack/database.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { replay } from '../../engine/settlement/replay.ts';
import { ledgerChecksum } from '../data/ledger-checksum.ts';
import { SALES_A_BLOCK, type SaleHistory, SETUP_BLOCK } from '../data/sale-history.ts';
import {
  cloneDatabase,
  type Indexed,
  indexHistory,
  release,
  untilFolded,
} from '../data/settle-database.ts';
import { type Sample, spreadOf, timed } from '../harness/measure.ts';
import type { Bench, Result, Suite } from '../harness/suite.ts';
import { defaults, startWorkerProcess } from '../settle/workers.ts';

/** Sales that are settled, and replayed, at each size. */
const STEP = 5_000;

/** How much dearer a step may be in a ledger a hundred times as long. */
/** Least ratio to the smallest ledger's rate. */
const MIN_RATIOS = { settle: 0.67, replay: 0.9 } as const;

/** A ledger of one size, and what a step cost there. */
interface Grown {
  readonly sales: number;
  readonly settle: readonly Sample[];
  readonly replay: readonly Sample[];
}

/** Measures settling the next sales, and replaying the newest, in ledgers of several sizes. */
export function growthSuite(name: string, sizes: readonly number[]): Suite {
  return {
    name,
    about: 'settling and replaying as many sales in a longer and longer ledger',
    run: async (bench) => {
      const wanted = bench.quick ? sizes.map((size) => size / 10) : sizes;
      const step = bench.quick ? STEP / 10 : STEP;
      const most = Math.max(...wanted);
      const history: SaleHistory = { sales: most, campaigns: 10, depth: 5, life: 'recorded' };
      const indexed = await indexHistory(bench.postgresUrl, `bench_${name}`, history);
      const url = await cloneDatabase(bench.postgresUrl, indexed.name, `${indexed.name}_run`);
      const pool = openPool(url, { max: 4, applicationName: 'bench' });
      const head = SETUP_BLOCK + Math.ceil(most / SALES_A_BLOCK);
      const worker = await startWorkerProcess({
        ...defaults,
        databaseUrl: url,
        redisUrl: undefined,
        prefix: name,
        head,
      });
      try {
        const grown: Grown[] = [];
        for (const sales of wanted) {
          grown.push(await measureAt(bench, pool, indexed, sales, step));
        }
        const { peakMiB } = await worker.stop();
        bench.log(`the worker held ${Math.round(peakMiB)} MiB at most`);
        return [...resultsOf('settle', grown, step), ...resultsOf('replay', grown, step)];
      } finally {
        await pool.end();
        await dropDatabase(bench.postgresUrl, `${indexed.name}_run`);
        await dropDatabase(bench.postgresUrl, indexed.name);
      }
    },
  };
}

/** Lets the ledger grow to just below a size, and takes the last steps one by one. */
async function measureAt(
  { rounds, log }: Bench,
  pool: Pool,
  { events, history }: Indexed,
  sales: number,
  step: number,
): Promise<Grown> {
  // Some of the smallest ledger is there before the first step.
  const steps = Math.min(rounds, Math.floor(sales / step) - 1);
  const setup = events - history.sales;
  const settleTo = async (end: number) => {
    await release(pool, SETUP_BLOCK + end / SALES_A_BLOCK);
    await untilFolded(pool, setup + end);
  };
  await settleTo(sales - steps * step);
  // As autovacuum would have, sooner or later.
  await pool`vacuum (analyze)`;
  const settle: Sample[] = [];
  for (let round = steps - 1; round >= 0; round -= 1) {
    settle.push(
      await timed(
        () => settleTo(sales - round * step),
        () => ledgerChecksum(pool),
      ),
    );
  }
  const again: Sample[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const fromBlock = SETUP_BLOCK + (sales - step) / SALES_A_BLOCK + 1;
    again.push(
      await timed(
        () => replayFrom(pool, fromBlock),
        () => ledgerChecksum(pool),
      ),
    );
  }
  const ms = (samples: readonly Sample[]) => Math.round(spreadOf(samples.map((s) => s.ms)).median);
  log(`${sales} sales: the last ${step} in ${ms(settle)} ms, replayed in ${ms(again)} ms`);
  return { sales, settle, replay: again };
}

async function replayFrom(pool: Pool, fromBlock: number): Promise<void> {
  const report = await replay({
    pool,
    keccak256: await openKeccak(),
    fromBlock,
    shadow: true,
    batchSize: defaults.batchSize,
    onProgress: () => {},
  });
  const differing = report.campaigns.find(({ outcome }) => outcome !== 'equal');
  if (differing !== undefined) throw new Error(`${differing.campaignId}: ${differing.outcome}`);
}

function resultsOf(what: 'settle' | 'replay', grown: readonly Grown[], step: number): Result[] {
  const [smallest] = grown;
  if (smallest === undefined) return [];
  const base = spreadOf(smallest[what].map(({ ms }) => ms));
  return grown.map((one) => {
    const ours = spreadOf(one[what].map(({ ms }) => ms));
    const ratio = base.median / ours.median;
    const first = one === smallest;
    return {
      workload: `${what} ${step.toLocaleString('en')} sales, the last of ${one.sales.toLocaleString('en')}`,
      unit: 'ms',
      ours,
      ceiling: first ? null : { name: `of ${smallest.sales.toLocaleString('en')}`, figure: base },
      ratio: first ? null : ratio,
      aim: first ? null : { text: `flat (≥ ${MIN_RATIOS[what]})`, met: ratio >= MIN_RATIOS[what] },
      checksum: one[what].at(-1)?.checksum ?? null,
    };
  });
}
