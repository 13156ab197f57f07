import type { ChainHead, ChainTags } from '../chain/chain.ts';
import type { Sql } from '../db/connection.ts';
import {
  campaignsDue,
  type Heads,
  markFinalizedReplaced,
  type NextHeads,
  type SettledBlock,
} from '../db/heads.ts';
import {
  type Backlog,
  readBacklog,
  SWEEP_START,
  setBehindKnown,
  sweepCampaigns,
} from '../db/indexer/backlog.ts';
import { readChecked } from '../db/indexer/checked.ts';
import { hasFactsAfter } from '../db/indexer/fact-index.ts';
import type { IndexerHead } from '../db/indexer/head.ts';
import { readTickStart, type TickStart } from '../db/indexer/tick-start.ts';
import type { FeederError } from '../db/rows/feeder-error.ts';
import { moveHeads, moveHeadsIn } from '../db/write/changes.ts';
import { writeFeederErrors } from '../db/write/feeder-errors.ts';
import { checkFacts, type Mismatch } from './check-facts.ts';
import { hasFinalized, nextFinality } from './finality.ts';
import { foldableOf, pushDue, settleOrPush } from './push-campaigns.ts';
import { blockAt, type SeenHead, settledBlock, settledNumber } from './settled-block.ts';
import { askChain, type FeederOptions, newTick, startTick, type Tick } from './tick.ts';

/** Campaigns that one tick sweeps: 100,000 of them take some two minutes, and a tick some milliseconds. */
const SWEPT_PER_TICK = 200;

/** Result of comparing facts with the chain in a tick. */
interface Comparison extends SeenHead {
  /** `null` if the facts agree with the chain so far. */
  readonly mismatch: Mismatch | null;
  /** True if the chain was last seen without the recorded finalized block. */
  readonly finalizedReplaced: boolean;
}

/**
 * Runs one tick: compares the facts with the chain and the cursors with the facts, settles or queues the
 * campaigns that have something to settle, and records the heads. It compares states and does not rely on
 * events, so that nothing is lost with a wake-up, a job or the whole queue
 * (docs/how-it-works/settlement.md#what-a-tick-costs). Its cost depends on the number of campaigns that changed.
 * @returns true if campaigns wait for a worker.
 */
export async function feed(options: FeederOptions): Promise<boolean> {
  const { chain } = options;
  const tick = newTick(options);
  // Requested before the facts are read, so that lag is never reported too small. Finality, too, must be
  // requested before the settled block is seen on the chain (`nextFinality`).
  const isFull = options.watch?.isDue(options.isAnnounced ?? true) ?? true;
  const [newest, tags] = isFull
    ? await Promise.all([
        askChain(tick, () => chain.head()),
        askChain(tick, () => chain.finality()),
      ])
    : [undefined, undefined];
  const refusal = options.watch?.waitsFor;
  if (refusal !== undefined) tick.feederErrors.set('rpc', refusal);
  tick.isChainSilent = refusal !== undefined || (isFull && newest === undefined);
  const start = await startTick(tick);
  if (start === undefined) return false;
  const { checked, indexer, heads } = start;
  // A new block does not wait for the sweep.
  const hasNewBlock = indexer.blockNumber !== checked.number;
  if (!start.isBehindKnown) await sweepAll(tick, heads.indexerSchema);
  else if (!hasNewBlock) await sweepSome(tick, heads.indexerSchema);
  const isBehind = await settleAndRecord(tick, start, isFull ? { newest, tags } : undefined);
  if (hasNewBlock) await sweepSome(tick, heads.indexerSchema);
  return isBehind;
}

/** The chain's answers to a tick that asked for its newest block; each is `undefined` if it did not come. */
interface FullAnswer {
  readonly newest: ChainHead | undefined;
  readonly tags: ChainTags | undefined;
}

/**
 * Checks, settles or queues, and records the heads.
 * @param full `undefined` in a tick that asks about new blocks alone.
 * @returns true if campaigns wait for a worker.
 */
async function settleAndRecord(
  tick: Tick,
  start: TickStart,
  full: FullAnswer | undefined,
): Promise<boolean> {
  const { pool } = tick;
  const schema = start.heads.indexerSchema;
  const asked = full ? full.newest : await askNext(tick, start);
  const { head, ...comparison } = await check(tick, start, asked);
  // After the check, which records the campaigns that it has found facts of.
  const before = await readBacklog(pool, schema);
  const foldable = foldableOf(before.backlog, comparison.checked);
  const batch: { advancedTo: SettledBlock | null } = { advancedTo: null };
  const settledHere = await settleOrPush(tick, schema, foldable, async (sql) => {
    batch.advancedTo = await advanceInBatch(sql, tick, schema, head);
    return batch.advancedTo !== null;
  });
  const batchRecordedAll =
    settledHere && full === undefined && !isReorganized(start.heads) && agreesWithChain(comparison);
  if (batchRecordedAll && (await endWithBatch(tick, head, batch.advancedTo))) return false;
  const heads = settledHere ? (await readTickStart(pool, schema))?.heads : start.heads;
  const after = settledHere ? await readBacklog(pool, schema) : before;
  if (heads === undefined) return false;
  const hasProgress = comparison.checked.number > start.checked.number;
  await recordHeads(tick, { heads, head, tags: full?.tags, ...after, hasProgress }, comparison);
  return foldable.length > 0 && !settledHere;
}

/** True if campaigns are rolled back, or the chain was last seen without the recorded finalized block. */
function isReorganized({
  rollingBack,
  finalizedReplaced,
}: Pick<Heads, 'rollingBack' | 'finalizedReplaced'>): boolean {
  return rollingBack || finalizedReplaced;
}

function agreesWithChain({ mismatch, finalizedReplaced }: Comparison): boolean {
  return mismatch === null && !finalizedReplaced;
}

/**
 * Ends a tick whose batch has moved the settled block, and so recorded all that the tick found.
 * @param settled block to which the batch moved it; `null` if it did not.
 * @returns false if the heads are not recorded yet.
 */
async function endWithBatch(
  tick: Tick,
  head: ChainHead | undefined,
  settled: SettledBlock | null,
): Promise<boolean> {
  if (settled === null || tick.feederErrors.size > 0) return false;
  tick.watch?.record(head, true);
  await pushDue(tick, await campaignsDue(tick.pool, settled.timestamp), []);
  return true;
}

/** State that a tick has read before it records the heads. */
interface Read {
  readonly heads: Heads;
  /** The chain's newest block; `undefined` if it is not known. */
  readonly head: ChainHead | undefined;
  readonly tags: ChainTags | undefined;
  readonly indexer: IndexerHead;
  readonly backlog: readonly Backlog[];
  /** True if the tick has checked more blocks. */
  readonly hasProgress: boolean;
}

/** Records the heads and the errors of a tick, and queues the campaigns whose clock is due. */
async function recordHeads(
  tick: Tick,
  { heads: known, head, tags, indexer, backlog, hasProgress }: Read,
  comparison: Comparison,
): Promise<void> {
  const { pool, leader } = tick;
  const mismatch = comparison.mismatch ?? lostFact(backlog);
  if (mismatch !== null) {
    const { name, blockNumber, message } = mismatch;
    tick.feederErrors.set(name, { name, blockNumber, message });
  }
  const settling = await settledBlock(tick, known, comparison, indexer, backlog);
  const { settled } = settling;
  const [due, finality] = await Promise.all([
    settled === null ? [] : campaignsDue(pool, settled.timestamp),
    nextFinality(tick, { ...known, ...comparison }, tags, indexer, settling),
  ]);
  const next: NextHeads = {
    indexerReady: indexer.ready,
    chainNumber: head?.number ?? known.chainNumber,
    chainTimestamp: head?.timestamp ?? known.chainTimestamp,
    indexedNumber: indexer.blockNumber,
    settled,
    ...finality,
    onOneFork: known.rollingBack && settling.complete && settling.onChain === true,
  };
  const isConsistent =
    tick.feederErrors.size === 0 &&
    settling.complete &&
    !(isReorganized(known) || finality.finalizedReplaced);
  tick.watch?.record(head, isConsistent, tick.refusal, hasProgress);
  const refusal = tick.watch?.refusal;
  if (refusal !== undefined) tick.feederErrors.set('rpc', refusal);
  const tickMs = performance.now() - tick.startedAt;
  // Not concurrently: a worker at rest would need a second connection for it.
  await moveHeads(pool, known, next, leader);
  await writeFeederErrors(pool, [...tick.feederErrors.values(), ...leftOut(tick)], tickMs, leader);
  await pushDue(tick, due, foldableOf(backlog, comparison.checked));
}

/** The RPCs of another chain, of which none is asked: an error of the configuration, and none of the tick. */
function leftOut({ chain }: Tick): FeederError[] {
  const sentences = chain.leftOut?.() ?? [];
  if (sentences.length === 0) return [];
  return [{ name: 'other-chain', blockNumber: null, message: sentences.join(' ') }];
}

/**
 * Advances the settled block to what was folded since the last tick, up to the block which that tick
 * checked, and settles or queues campaigns with facts that came during their last batch. It requests only
 * the time and hash of the new settled block, and rolls nothing back: a tick does that.
 */
export async function advanceSettledBlock(options: FeederOptions): Promise<void> {
  const { pool, leader, watch } = options;
  const tick = newTick(options);
  tick.isChainSilent = watch?.waitsFor !== undefined;
  // Read first: campaigns are recorded as behind before the checked head moves past their facts.
  const start = await startTick(tick);
  // Before the first sweep of a ledger, campaigns with facts to fold may be missing in the backlog.
  if (start === undefined || !start.isBehindKnown) return;
  const { heads: known, checked } = start;
  const schema = known.indexerSchema;
  const { indexer, backlog } = await readBacklog(pool, schema);
  const foldable = foldableOf(backlog, checked).filter(({ cursorMissing }) => !cursorMissing);
  const settledHere = await settleOrPush(tick, schema, foldable, async (sql) => {
    return (await advanceInBatch(sql, tick, schema, undefined)) !== null;
  });
  // What it settled moved the settled block, or wakes this up again.
  if (settledHere) return;
  const candidate = settledNumber(checked, indexer, backlog);
  if (candidate === null || candidate <= (known.settled?.number ?? -1)) return;
  const settled = await blockAt(tick, candidate, checked);
  if (settled === undefined || settled === null) return;
  await moveHeads(pool, known, { ...known, settled }, leader);
  await pushDue(tick, await campaignsDue(pool, settled.timestamp), foldable);
}

/**
 * Moves the settled block to the checked head in the transaction of a batch, if the batch completes it:
 * then readers see the batch when it commits. The heads stay locked until the commit.
 * @param head the chain's newest block; `undefined` if it is not known.
 * @returns the settled block; `null` if it has not moved.
 */
async function advanceInBatch(
  sql: Sql,
  { leader }: Tick,
  schema: string,
  head: ChainHead | undefined,
): Promise<SettledBlock | null> {
  // In this order, as in `advanceSettledBlock`; sent together.
  const [start, { indexer, backlog }] = await Promise.all([
    readTickStart(sql, schema),
    readBacklog(sql, schema),
  ]);
  if (start === undefined) return null;
  const { heads: known, checked } = start;
  const { number, hash, timestamp } = checked;
  if (hash === null || settledNumber(checked, indexer, backlog) !== number) return null;
  if (number <= (known.settled?.number ?? -1)) return null;
  const settled = { number, hash, timestamp };
  const next: NextHeads = {
    ...known,
    indexerReady: indexer.ready,
    chainNumber: head?.number ?? known.chainNumber,
    chainTimestamp: head?.timestamp ?? known.chainTimestamp,
    indexedNumber: indexer.blockNumber,
    settled,
  };
  return (await moveHeadsIn(sql, known, next, leader)) ? settled : null;
}

/** Asks the chain about blocks that are not checked yet, in a tick that did not ask for the newest block. */
async function askNext(
  tick: Tick,
  { checked, heads, indexer }: TickStart,
): Promise<ChainHead | undefined> {
  const { chain, watch, pool } = tick;
  const { blockNumber: indexed } = indexer;
  if (watch === undefined || indexed === null) return undefined;
  if (watch.mayWait(checked, indexer)) {
    tick.isWaiting = !(await hasFactsAfter(pool, heads.indexerSchema, checked.number));
    if (tick.isWaiting) return undefined;
  }
  return await askChain(tick, () => watch.headFor(chain, checked.number, indexed));
}

/**
 * Compares facts with the chain (docs/how-it-works/settlement.md#detect-dont-trust).
 * @param head the chain's newest block; `undefined` if it was not requested, or did not come.
 */
async function check(
  tick: Tick,
  { heads: known, checked: before, indexer }: TickStart,
  head: ChainHead | undefined,
): Promise<Comparison & { readonly head: ChainHead | undefined }> {
  const { pool, chain, leader } = tick;
  const { indexerSchema: schema } = known;
  let { finalizedReplaced } = known;
  const onReorg = async () => {
    finalizedReplaced = !(await hasFinalized(chain, known));
    if (finalizedReplaced) await markFinalizedReplaced(pool);
  };
  const notCompared = { head, mismatch: null, onChain: false, confirmed: null };
  if (head === undefined) return { ...notCompared, checked: before, finalizedReplaced };
  const options = { pool, chain, schema, leader, checked: before, onReorg };
  const compared = await askChain(tick, () => checkFacts(options, head, indexer));
  if (compared !== undefined) return { head, ...compared, finalizedReplaced };
  // What was checked before the error stays checked.
  const checked = await readChecked(pool, schema, chain.startBlock);
  return { ...notCompared, checked, finalizedReplaced };
}

/** Sweeps all campaigns, because it is not recorded which ones are behind. */
async function sweepAll({ pool }: Tick, schema: string): Promise<void> {
  await sweepCampaigns(pool, schema, SWEEP_START, null);
  await setBehindKnown(pool, schema);
}

/** Sweeps some campaigns. */
async function sweepSome({ pool, sweep }: Tick, schema: string): Promise<void> {
  const after = sweep?.after ?? SWEEP_START;
  const { next } = await sweepCampaigns(pool, schema, after, SWEPT_PER_TICK);
  if (sweep !== undefined) sweep.after = next ?? SWEEP_START;
}

/** The first fact that disappeared after its block was checked and before it was folded. */
function lostFact(backlog: readonly Backlog[]): Mismatch | null {
  const lost = backlog.flatMap((one) => (one.lost === null ? [] : [{ ...one.lost, one }]));
  const [first] = lost.sort((a, b) => a.blockNumber - b.blockNumber);
  if (first === undefined) return null;
  const { blockNumber, logIndex, one } = first;
  const message = `Block ${blockNumber}: the indexer lost log ${logIndex} of campaign ${one.campaignId}.`;
  return { name: 'mismatch', blockNumber, message };
}
