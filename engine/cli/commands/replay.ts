import { openKeccak } from '../../chain/keccak.ts';
import { countOf } from '../../core/count-of.ts';
import { migrate } from '../../db/migrate.ts';
import type { DifferingRow, RowText } from '../../db/write/replay-rows.ts';
import type { Env } from '../../env.ts';
import { MAX_BATCH_FACTS } from '../../settlement/defaults.ts';
import { ReplayError, type ReplayReport, replay } from '../../settlement/replay.ts';
import type { CampaignReplay } from '../../settlement/replay-campaign.ts';
import { shownTask } from '../backup/progress.ts';
import { openDatabase } from '../connect.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { out, style } from '../output.ts';

export interface ReplayCommandOptions {
  readonly fromBlock: string;
  readonly campaign?: string;
  readonly shadow?: boolean;
  readonly json?: boolean;
}

/**
 * Runs `tributary replay`: folds campaigns again from a block on. Exits 1 if a shadow replay finds a
 * difference or a campaign cannot be folded, 3 if one has to wait for the indexer.
 */
export async function runReplay(env: Env, options: ReplayCommandOptions): Promise<void> {
  const deployment = await findDeployment(env);
  const pool = openDatabase(deployment, 'replay', { max: 4 });
  try {
    await migrate(pool);
    const report = await shownTask(
      'Folding the campaigns again',
      options.json === true,
      async (onProgress) =>
        replay({
          pool,
          keccak256: await openKeccak(),
          fromBlock: Number(options.fromBlock),
          campaignId: options.campaign,
          shadow: options.shadow === true,
          batchSize: MAX_BATCH_FACTS,
          onProgress: ({ campaignId, done, of, events }) =>
            onProgress(
              `campaign ${campaignId} (${done + 1} of ${of}): ${countOf(events, 'event')}`,
            ),
        }),
    );
    process.exitCode = exitCodeOf(report);
    if (options.json === true) out.json(report);
    else print(report);
  } catch (error) {
    if (error instanceof ReplayError) throw new CommandError(error.message);
    throw error;
  } finally {
    await pool.end();
  }
}

function exitCodeOf({ campaigns }: ReplayReport): number {
  const bad = campaigns.some(({ outcome }) => outcome === 'differs' || outcome === 'failed');
  if (bad) return exitCodes.failed;
  const open = campaigns.some(({ outcome }) => outcome === 'waiting');
  return open ? exitCodes.unavailable : exitCodes.ok;
}

function print({ blockNumber, root, campaigns }: ReplayReport): void {
  const counts = new Map<string, number>();
  for (const { outcome } of campaigns) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  out.table([
    ['settled block', String(blockNumber)],
    ['root before', root.before],
    ['root after', root.after === root.before ? style.green(root.after) : style.yellow(root.after)],
    ['events', String(campaigns.reduce((sum, { events }) => sum + events, 0))],
    ['campaigns', [...counts].map(([outcome, n]) => `${n} ${outcome}`).join(', ') || 'none'],
  ]);
  for (const campaign of campaigns) printCampaign(campaign);
}

function printCampaign({
  campaignId,
  outcome,
  reason,
  first,
  tables,
  started,
}: CampaignReplay): void {
  if (outcome === 'equal' && !started) return;
  out.print(
    '',
    `${style.bold(`Campaign ${campaignId}`)}: ${outcome}${started ? ', and continues' : ''}`,
  );
  if (reason !== null) out.print(`  ${reason}`);
  if (first !== null) {
    const { event, seq } = first;
    const location = event === null ? '' : `, ${event.name} in block ${event.blockNumber}`;
    out.print(`  The first difference is at event ${seq}${location}:`);
    for (const row of first.rows) printRow(row);
  }
  const unsequenced = tables.filter(({ firstSeq }) => firstSeq === null);
  if (first === null)
    for (const { examples } of unsequenced) for (const row of examples) printRow(row);
  const summary = tables.map(({ table, rows }) => `${rows} of ${table}`).join(', ');
  if (summary !== '') out.print(`  Rows that differ: ${summary}`);
}

/** Prints the columns of a row that differ, or all if only one side has the row. */
function printRow({ table, ...row }: DifferingRow): void {
  const [stored, refolded] = [withArguments(row.stored), withArguments(row.refolded)];
  const names = [...new Set([...Object.keys(stored ?? {}), ...Object.keys(refolded ?? {})])];
  const rows = names
    .filter((name) => stored?.[name] !== refolded?.[name])
    .map((name) => [
      `    ${table}.${name}`,
      stored === null ? '–' : (stored[name] ?? 'null'),
      refolded === null ? '–' : (refolded[name] ?? 'null'),
    ]);
  out.table(rows, [`    ${table}`, 'stored', 'refolded']);
}

/** A row with each argument of its event in a column. */
function withArguments(row: RowText | null): RowText | null {
  if (row?.args == null) return row;
  const { args, ...rest } = row;
  const columns = Object.entries(Object(JSON.parse(args)) as object).map(([name, value]) => [
    `args.${name}`,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return { ...rest, ...Object.fromEntries(columns) };
}
