import { createDatabase, dropDatabase } from '../../engine/cli/stack/database.ts';
import { openPool } from '../../engine/db/connection.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { advanceSettledBlock, feed } from '../../engine/settlement/feeder.ts';
import type { FeederOptions } from '../../engine/settlement/tick.ts';
import { checksumOf, type Spread, spreadOf } from '../harness/measure.ts';
import { type Bench, type Result, ratioOf, type Suite } from '../harness/suite.ts';
import { IdleCampaigns } from './idle-campaigns.ts';

const DATABASE = 'bench_feeder';

/** Maximum ratio of the times of a tick with a hundred times the campaigns. */
const MAX_GROWTH = 3;

/** Milliseconds that a tick with changes may take at the most campaigns. */
const MAX_CHANGED_MS = 50;
const MOST_CAMPAIGNS = 100_000;

/** Campaigns that change from tick to tick. */
const CHANGED = 10;

/** Milliseconds of each part of a tick. */
interface Ticks {
  readonly idle: Spread;
  readonly changed: Spread;
  readonly follow: Spread;
}

export const feederSuite: Suite = {
  name: 'feeder',
  about: 'a tick of the feeder, with ever more campaigns that nothing happens in',
  run: async (bench) => {
    const sizes = bench.quick ? [100, 1_000] : [1_000, 10_000, MOST_CAMPAIGNS];
    const measured = new Map<number, Ticks>();
    for (const campaigns of sizes) measured.set(campaigns, await measureTicks(bench, campaigns));
    return resultsOf(measured);
  },
};

async function measureTicks({ postgresUrl: server, quick, log }: Bench, campaigns: number) {
  await dropDatabase(server, DATABASE);
  const pool = openPool(await createDatabase(server, DATABASE), { max: 4 });
  try {
    await migrate(pool);
    const made = await IdleCampaigns.make(pool, campaigns);
    const { chain } = made;
    const options: FeederOptions = {
      ...{ pool, chain, queue: { push: async () => {} } },
      onChainError: (error) => {
        throw error;
      },
      sweep: { after: '-1' },
    };
    // The first ticks make what later ones find: an index, prepared statements.
    for (let tick = 0; tick < 10; tick += 1) await feed(options);
    const [idle, changed, follow]: number[][] = [[], [], []];
    const rounds = quick ? 10 : 40;
    for (let round = 0; round < rounds; round += 1) {
      const changing = Array.from(
        { length: CHANGED },
        (_, i) => 1 + (((round * CHANGED + i) * 7_919) % campaigns),
      );
      idle?.push(await timeOf(() => feed(options)));
      await made.nextBlock(changing);
      changed?.push(await timeOf(() => feed(options)));
      await made.fold(changing);
      follow?.push(await timeOf(() => advanceSettledBlock(options)));
    }
    await expectSettled(pool, rounds * CHANGED);
    const ticks = {
      idle: spreadOf(idle ?? []),
      changed: spreadOf(changed ?? []),
      follow: spreadOf(follow ?? []),
    };
    log(
      `${campaigns} campaigns: ${Object.values(ticks)
        .map(({ median }) => median.toFixed(1))
        .join(', ')} ms`,
    );
    return ticks;
  } finally {
    await pool.end();
    await dropDatabase(server, DATABASE);
  }
}

/** A fast tick that does not move the settled block, or publish the change, would be wrong. */
async function expectSettled(pool: ReturnType<typeof openPool>, changes: number): Promise<void> {
  const [row] = await pool<{ settled: boolean; changes: number }[]>`
    select settled_number = indexed_number as settled,
      (select count(*)::int from ledger.change where kind = 'settled') as changes
    from ledger.head`;
  if (row?.settled !== true || row.changes !== changes) {
    throw new Error(`the ticks settled ${row?.changes} of ${changes} changes`);
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const PARTS = {
  idle: 'a tick without a new block',
  changed: `a tick with new events of ${CHANGED} campaigns`,
  follow: 'following up the settled block',
} as const;

/** A tick with changes at the most campaigns has a limit in milliseconds, the others one for their growth. */
function aimOf(part: keyof Ticks, campaigns: number, ms: number, ratio: number): Result['aim'] {
  if (part === 'changed' && campaigns === MOST_CAMPAIGNS) {
    return { text: `≤ ${MAX_CHANGED_MS} ms`, met: ms <= MAX_CHANGED_MS };
  }
  return { text: `≤ ${MAX_GROWTH} times as long`, met: ratio >= 1 / MAX_GROWTH };
}

function resultsOf(measured: ReadonlyMap<number, Ticks>): Result[] {
  const [least] = measured.keys();
  const base = least === undefined ? undefined : measured.get(least);
  if (least === undefined || base === undefined) throw new Error('nothing was measured');
  return (Object.keys(PARTS) as (keyof Ticks)[]).flatMap((part) =>
    [...measured].map(([campaigns, ticks]): Result => {
      const ratio = ratioOf('ms', ticks[part], base[part]);
      return {
        workload: `${PARTS[part]}, ${campaigns.toLocaleString('en')} campaigns`,
        unit: 'ms',
        ours: ticks[part],
        ceiling: { name: `${least.toLocaleString('en')} campaigns`, figure: base[part] },
        ratio,
        aim: aimOf(part, campaigns, ticks[part].median, ratio),
        checksum: checksumOf(`${campaigns}`),
      };
    }),
  );
}
