import { setTimeout } from 'node:timers/promises';
import type { Pool } from '../../db/connection.ts';
import { readHeads } from '../../db/heads.ts';
import { compareFacts, type FactComparison } from '../../db/indexer/compare-facts.ts';
import {
  changeGeneration,
  dropIndexerSchema,
  indexerProcess,
  readGeneration,
  readIndexerHead,
  schemaExists,
} from '../../db/indexer/generation.ts';
import { indexerTablesExist } from '../../db/indexer/head.ts';
import type { CampaignReplay } from '../../settlement/replay-campaign.ts';
import { startIndexer } from '../stack/indexer.ts';
import { cacheSchemaName } from '../stack/indexer-schema.ts';
import { schemaOf } from '../start/indexer.ts';
import { catchUp } from './catch-up.ts';
import { ReindexError, type ReindexOptions } from './options.ts';
import { refoldCampaigns } from './refold.ts';

/** One generation of the indexer: its tables, and its cache of RPC responses. */
interface Generation {
  readonly number: number;
  readonly schema: string;
  readonly cache: string;
}

/** Result of a reindex. */
export interface ReindexReport {
  readonly before: Generation;
  readonly after: Generation;
  /** The last block whose events were compared: final to both indexers. */
  readonly comparedTo: number;
  readonly comparison: FactComparison;
  /** Campaigns that were folded again because settlement had folded a difference. */
  readonly refolded: readonly CampaignReplay[];
  /** `none`: no indexer was running; `late`: it has not restarted on the new tables yet. */
  readonly takenOver: 'yes' | 'late' | 'none';
}

/** Milliseconds in which the process of the old indexer must start the new one. */
const TAKE_OVER_MS = 90_000;

/**
 * Indexes the chain again next to the running indexer, into its own schema and cache of RPC responses;
 * compares the result with the chain and the old tables; and switches settlement to the new tables.
 * Until the switch the deployment is unchanged. Call it under `withReindexLock`.
 * @throws {ReindexError} with the reason if this is not possible.
 */
export async function reindex(options: ReindexOptions): Promise<ReindexReport> {
  const { pool, onProgress } = options;
  const { before, after } = await generationsOf(options);
  await dropLeftover(pool, after);
  let made: Made;
  try {
    made = await makeGeneration(options, before, after);
  } catch (error) {
    await dropGeneration(pool, after);
    throw error;
  }
  const { comparison, comparedTo, wasRunning, stopped } = made;
  const takenOver = wasRunning ? await waitForTakeover(pool, after.schema, onProgress) : 'none';
  const refolded = await refoldCampaigns(options, after.schema, comparison, stopped);
  return { before, after, comparedTo, comparison, refolded, takenOver };
}

async function generationsOf(
  options: ReindexOptions,
): Promise<{ before: Generation; after: Generation }> {
  const { pool, deployment, settings } = options;
  const heads = await readHeads(pool);
  if (heads?.settled == null) {
    throw new ReindexError('Nothing is settled yet: there is nothing to index again.');
  }
  const number = await readGeneration(pool);
  const named = async (generation: number) => ({
    number: generation,
    schema: await schemaOf({ deployment, chain: settings.chain }, generation),
    cache: cacheSchemaName(generation),
  });
  const before = await named(number);
  if (before.schema !== heads.indexerSchema) {
    throw new ReindexError(
      `Settlement reads ${heads.indexerSchema}, and this version with START_BLOCK ${settings.chain.startBlock} would make ${before.schema}: run the version that \`tributary start\` runs, with its variables.`,
    );
  }
  if (!(await indexerTablesExist(pool, before.schema))) {
    throw new ReindexError(`There are no tables in ${before.schema} to compare with.`);
  }
  return { before, after: await named(number + 1) };
}

interface Made {
  readonly comparedTo: number;
  readonly comparison: FactComparison;
  /** True if a process ran the old indexer. */
  readonly wasRunning: boolean;
  /** Campaigns that must be folded again. */
  readonly stopped: readonly string[];
}

/** Fills the new schema and switches settlement to it: all or nothing. */
async function makeGeneration(
  options: ReindexOptions,
  before: Generation,
  after: Generation,
): Promise<Made> {
  const { pool, settings, onProgress } = options;
  const indexer = await startIndexer({
    ...settings.chain,
    databaseUrl: settings.databaseUrl,
    pollingIntervalMs: settings.pollingIntervalMs,
    logFile: settings.logFile,
    schema: after.schema,
    cacheSchema: after.cache,
  });
  try {
    await catchUp(options, indexer);
    // Without its own cache it would have read the old RPC responses again.
    if (!(await schemaExists(pool, after.cache))) {
      throw new ReindexError(`The new indexer did not store its RPC responses in ${after.cache}.`);
    }
    onProgress('comparing the events with those of the old indexer');
    const comparedTo = await finalToBoth(pool, before.schema, after.schema);
    const schemas = { old: before.schema, new: after.schema };
    const comparison = await compareFacts(pool, schemas, comparedTo);
    // Only one process at a time can write the schema: next the supervisor of the old indexer does.
    await indexer.stop();
    const { running: wasRunning } = await indexerProcess(pool, before.schema);
    const stopped = await changeGeneration(pool, {
      from: { schema: before.schema, generation: before.number },
      to: { schema: after.schema, generation: after.number },
    });
    if (stopped === undefined) {
      throw new ReindexError(
        'The indexer’s schema changed meanwhile: check if `tributary start` was restarted, and try again.',
      );
    }
    return { comparedTo, comparison, wasRunning, stopped };
  } finally {
    await indexer.stop();
  }
}

async function finalToBoth(pool: Pool, old: string, fresh: string): Promise<number> {
  const heads = await Promise.all([readIndexerHead(pool, old), readIndexerHead(pool, fresh)]);
  return Math.min(
    ...heads.map(({ finalizedNumber, blockNumber }) =>
      Math.min(finalizedNumber ?? -1, blockNumber ?? -1),
    ),
  );
}

/** Drops the schema of a reindex that was killed: the responses of its RPC are unknown. */
async function dropLeftover(pool: Pool, generation: Generation): Promise<void> {
  if (await indexerTablesExist(pool, generation.schema)) {
    const { running } = await indexerProcess(pool, generation.schema);
    if (running) {
      throw new ReindexError(
        'The indexer of a reindex that was killed has not ended yet: try again in half a minute.',
      );
    }
  }
  await dropGeneration(pool, generation);
}

async function dropGeneration(pool: Pool, { number, schema, cache }: Generation): Promise<void> {
  // The change may have been made, and only its answer been lost.
  if ((await readGeneration(pool)) >= number) return;
  await dropIndexerSchema(pool, schema);
  await dropIndexerSchema(pool, cache);
}

/** Waits until another process runs the indexer in the new schema, and it is ready. */
async function waitForTakeover(
  pool: Pool,
  schema: string,
  onProgress: (text: string) => void,
): Promise<'yes' | 'late'> {
  onProgress('waiting for the indexer to run in the new schema');
  const deadline = performance.now() + TAKE_OVER_MS;
  while (performance.now() < deadline) {
    const { running, ready } = await indexerProcess(pool, schema);
    if (running && ready) return 'yes';
    await setTimeout(250);
  }
  return 'late';
}
