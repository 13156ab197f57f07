import { setTimeout } from 'node:timers/promises';
import { readHeads } from '../../db/heads.ts';
import { readIndexerHead } from '../../db/indexer/generation.ts';
import { indexerTablesExist } from '../../db/indexer/head.ts';
import { checkFacts } from '../../settlement/check-facts.ts';
import type { Indexer } from '../stack/indexer.ts';
import { ReindexError, type ReindexOptions } from './options.ts';

/** Milliseconds between two polls of the new indexer. */
const POLL_MS = 250;

/** Milliseconds for which its events may differ from the chain: a reorg takes a moment. */
const MISMATCH_MS = 10_000;

/** Milliseconds without progress before the check fails. */
const STANDSTILL_MS = 60_000;

/**
 * Waits for the backfill of the new indexer, and checks its events against the chain, up to the block
 * that settlement and the old indexer have reached (docs/how-it-works/settlement.md#detect-dont-trust).
 * @throws {ReindexError} if the events differ from the chain, or the check makes no progress.
 */
export async function catchUp(options: ReindexOptions, indexer: Indexer): Promise<void> {
  await backfill(options, indexer);
  await check(options, indexer);
}

async function backfill(options: ReindexOptions, indexer: Indexer): Promise<void> {
  const { pool, chain, onProgress } = options;
  const ready = indexer.ready().then(() => true);
  // A rejection during the loop body is handled by the race of the next iteration.
  ready.catch(() => {});
  onProgress('starting the new indexer');
  while (!(await Promise.race([ready, setTimeout(POLL_MS, false)]))) {
    if (!(await indexerTablesExist(pool, indexer.schema))) continue;
    const { blockNumber } = await readIndexerHead(pool, indexer.schema);
    const head = await chain.head().catch(() => undefined);
    if (blockNumber === null || head === undefined) continue;
    const all = Math.max(1, head.number - chain.startBlock);
    const done = Math.min(all, Math.max(0, blockNumber - chain.startBlock));
    const percent = Math.floor((100 * done) / all);
    onProgress(`indexed block ${blockNumber} of ${head.number} (${percent} %)`);
  }
}

async function check(options: ReindexOptions, indexer: Indexer): Promise<void> {
  let ended = false;
  void indexer.exited.then(() => {
    ended = true;
  });
  let reached = -1;
  let progressAt = performance.now();
  while (!ended) {
    const { checkedTo, lacking, mismatch } = await checkOnce(options, indexer.schema);
    if (lacking === null) return;
    if (checkedTo > reached) [reached, progressAt] = [checkedTo, performance.now()];
    if (performance.now() - progressAt > (mismatch ? MISMATCH_MS : STANDSTILL_MS)) {
      throw new ReindexError(`The new indexer cannot be checked completely. ${lacking}`);
    }
    await setTimeout(POLL_MS);
  }
  throw new ReindexError(`The new indexer ended: see ${options.settings.logFile}.`);
}

/** Checks once. `lacking` is a sentence about what is missing, or `null` if nothing is. */
async function checkOnce(
  { pool, chain, onProgress }: ReindexOptions,
  schema: string,
): Promise<{ checkedTo: number; lacking: string | null; mismatch: boolean }> {
  try {
    const head = await chain.head();
    const [heads, indexer] = await Promise.all([readHeads(pool), readIndexerHead(pool, schema)]);
    const { checked, mismatch } = await checkFacts({ pool, chain, schema }, head, indexer);
    // The old indexer may have blocks that the chain has replaced by fewer.
    const goal = Math.min(
      head.number,
      Math.max(heads?.settled?.number ?? 0, heads?.indexedNumber ?? 0),
    );
    onProgress(`checked block ${checked.number} of ${goal} against the chain`);
    const caughtUp = indexer.ready && checked.number >= goal;
    const lacking = caughtUp ? null : `It is at block ${checked.number} of ${goal}.`;
    return {
      checkedTo: checked.number,
      lacking: mismatch?.message ?? lacking,
      mismatch: mismatch !== null,
    };
  } catch (error) {
    // An RPC that is away, or a temporary contradiction: the next poll tries again.
    const lacking = error instanceof Error ? error.message : String(error);
    return { checkedTo: -1, lacking, mismatch: false };
  }
}
