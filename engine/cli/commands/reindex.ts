import { join } from 'node:path';
import { openKeccak } from '../../chain/keccak.ts';
import { countOf } from '../../core/count-of.ts';
import type { FactDifference, IndexedFact } from '../../db/indexer/compare-facts.ts';
import { withReindexLock } from '../../db/indexer/generation.ts';
import { migrate } from '../../db/migrate.ts';
import type { Env } from '../../env.ts';
import { shownTask } from '../backup/progress.ts';
import { claimChain, type DeploymentEnv, openChain, openDatabase } from '../connect.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { out, style } from '../output.ts';
import { dropOld } from '../reindex/drop-old.ts';
import { ReindexError, type ReindexOptions } from '../reindex/options.ts';
import { type ReindexReport, reindex } from '../reindex/reindex.ts';

export interface ReindexCommandOptions {
  readonly dropOld?: boolean;
  readonly json?: boolean;
}

/**
 * Runs `tributary reindex`: indexes the chain again next to the running indexer, and switches over.
 * Exits 1 if a campaign could not be folded again, 3 if no process runs the new indexer yet.
 */
export async function runReindex(env: Env, options: ReindexCommandOptions): Promise<void> {
  const found = await findDeployment(env);
  const pool = openDatabase(found, 'reindex', { max: 6 });
  try {
    await migrate(pool);
    const work = options.dropOld === true ? dropOldOnly : reindexNow;
    const done = await withReindexLock(pool, () => work(env, found, { ...options, pool }));
    if (done === undefined)
      throw new CommandError('Another `tributary reindex` is already running.');
  } catch (error) {
    if (error instanceof ReindexError) throw new CommandError(error.message);
    throw error;
  } finally {
    await pool.end();
  }
}

type Work = ReindexCommandOptions & Pick<ReindexOptions, 'pool'>;

async function dropOldOnly(_: Env, __: DeploymentEnv, { pool, json }: Work): Promise<true> {
  const dropped = await dropOld(pool);
  if (json === true) out.json({ dropped });
  else
    out.print(
      dropped.length === 0 ? 'There are no old schemas.' : `Dropped ${dropped.join(', ')}.`,
    );
  return true;
}

async function reindexNow(env: Env, found: DeploymentEnv, { pool, json }: Work): Promise<true> {
  const deployment = await claimChain(pool, found.chain);
  const recorded = { ...found, chain: { ...found.chain, genesisHash: deployment.genesisHash } };
  const chain = openChain(recorded);
  const settings = {
    ...recorded,
    pollingIntervalMs: env.pollingIntervalMs,
    logFile: join(env.dataDir, 'logs', 'reindex.log'),
  };
  const keccak256 = await openKeccak();
  const report = await shownTask('Indexing the chain again', json === true, (onProgress) =>
    reindex({ pool, chain, keccak256, deployment, settings, onProgress }),
  );
  process.exitCode = exitCodeOf(report);
  if (json === true) out.json(report);
  else print(report);
  return true;
}

function exitCodeOf({ refolded, takenOver }: ReindexReport): number {
  if (refolded.some(({ outcome }) => outcome === 'failed')) return exitCodes.failed;
  const open = takenOver === 'late' || refolded.some(({ outcome }) => outcome === 'waiting');
  return open ? exitCodes.unavailable : exitCodes.ok;
}

const TAKEN_OVER = {
  yes: 'writes the new schema',
  late: 'has not restarted yet: check the process that runs it, and restart that if necessary',
  none: 'is not running: the next one uses the new schema',
} as const;

function print({ before, after, ...report }: ReindexReport): void {
  const { facts, differences, first } = report.comparison;
  out.table([
    ['old schema', `${before.schema}, cache ${before.cache}: not dropped yet`],
    ['new schema', `${after.schema}, cache ${after.cache}`],
    ['compared', `${countOf(facts, 'event')}, up to block ${report.comparedTo}`],
    ['differences', differences === 0 ? style.green('0') : style.yellow(String(differences))],
    ['the indexer', TAKEN_OVER[report.takenOver]],
  ]);
  for (const difference of first) out.print(...describe(difference));
  if (differences > first.length) out.print(`  … and ${differences - first.length} more`);
  for (const { campaignId, outcome, events, reason } of report.refolded) {
    const why = reason === null ? '' : `: ${reason}`;
    out.print(
      '',
      `${style.bold(`Campaign ${campaignId}`)}: folded again, ${countOf(events, 'event')}, ${outcome}${why}`,
    );
  }
  out.print('', '`tributary reindex --drop-old` drops the old schema and its cache.');
}

function describe({ campaignId, eventId, blockNumber, old, new: fresh }: FactDifference): string[] {
  const text = (fact: IndexedFact | null) =>
    fact === null
      ? 'missing'
      : `${fact.name} ${fact.args} (block ${fact.blockHash}, transaction ${fact.transactionHash}, log ${fact.logIndex})`;
  return [
    `  block ${blockNumber}, campaign ${campaignId}, event ${eventId}`,
    `    old: ${text(old)}`,
    `    new: ${text(fresh)}`,
  ];
}
