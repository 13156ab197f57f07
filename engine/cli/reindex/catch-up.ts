import { setTimeout } from 'node:timers/promises';
import { readHeads } from '../../db/heads.ts';
import { readIndexerHead } from '../../db/indexer-generation.ts';
import { indexerTablesExist } from '../../db/indexer-head.ts';
import { checkFacts } from '../../settlement/check-facts.ts';
import type { Indexer } from '../stack/indexer.ts';
import { ReindexError, type ReindexOptions } from './options.ts';

/** Milliseconds between two looks at the new indexer. */
const LOOK_MS = 250;

/** Milliseconds for which its events may not be those of the chain: a reorg takes a moment. */
const MISMATCH_MS = 10_000;

/** Milliseconds for which no further block can be checked: an outage of the RPC takes longer. */
const STANDSTILL_MS = 60_000;

/**
 * Waits until the new indexer is done with its backfill, and its events up to where settlement and the
 * old indexer are were compared with the chain (docs/settlement.md, «Detect, don't trust»).
 * @throws {ReindexError} where they are not those of the chain either, or it gets no further.
 */
export async function catchUp(options: ReindexOptions, indexer: Indexer): Promise<void> {
  await backfill(options, indexer);
  await check(options, indexer);
}

async function backfill(options: ReindexOptions, indexer: Indexer): Promise<void> {
  const { pool, chain, onProgress } = options;
  const ready = indexer.ready().then(() => true);
  // It may fail while the database is asked; the next turn hears of it.
  ready.catch(() => {});
  onProgress('starting the new indexer');
  while (!(await Promise.race([ready, setTimeout(LOOK_MS, false)]))) {
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
  let movedAt = performance.now();
  while (!ended) {
    const { checkedTo, lacking, mismatch } = await checkOnce(options, indexer.schema);
    if (lacking === null) return;
    if (checkedTo > reached) [reached, movedAt] = [checkedTo, performance.now()];
    if (performance.now() - movedAt > (mismatch ? MISMATCH_MS : STANDSTILL_MS)) {
      throw new ReindexError(`The new indexer cannot be checked to the end. ${lacking}`);
    }
    await setTimeout(LOOK_MS);
  }
  throw new ReindexError(`The new indexer ended: see ${options.settings.logFile}.`);
}

/** One look; `lacking` is a sentence that says what is not as it should be, `null` where all is. */
async function checkOnce(
  { pool, chain, onProgress }: ReindexOptions,
  schema: string,
): Promise<{ checkedTo: number; lacking: string | null; mismatch: boolean }> {
  try {
    const head = await chain.head();
    const [heads, indexer] = await Promise.all([readHeads(pool), readIndexerHead(pool, schema)]);
    const { checked, mismatch } = await checkFacts({ pool, chain, schema }, head, indexer);
    // The old indexer may know blocks that the chain has replaced by fewer.
    const goal = Math.min(
      head.number,
      Math.max(heads?.settled?.number ?? 0, heads?.indexedNumber ?? 0),
    );
    onProgress(`checked block ${checked.number} of ${goal} against the chain`);
    const there = indexer.ready && checked.number >= goal;
    const lacking = there ? null : `It is at block ${checked.number} of ${goal}.`;
    return {
      checkedTo: checked.number,
      lacking: mismatch?.message ?? lacking,
      mismatch: mismatch !== null,
    };
  } catch (error) {
    // An RPC that is away, or a moment's contradiction: it is asked again.
    const lacking = error instanceof Error ? error.message : String(error);
    return { checkedTo: -1, lacking, mismatch: false };
  }
}
