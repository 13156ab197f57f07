import type { Chain, ChainBlock, ChainHead } from '../chain/chain.ts';
import { RpcDisagreementError } from '../chain/quorum.ts';
import type { Pool } from '../db/connection.ts';
import {
  campaignsDue,
  type DueCampaign,
  type Heads,
  markFinalizedReplaced,
  type NextHeads,
  readHeads,
  type SettledBlock,
} from '../db/heads.ts';
import {
  type Backlog,
  isBehindKnown,
  readBacklog,
  SWEEP_START,
  setBehindKnown,
  sweepCampaigns,
} from '../db/indexer/backlog.ts';
import { type CheckedBlock, type CheckedHead, readChecked } from '../db/indexer/checked.ts';
import { ensureFactIndex } from '../db/indexer/fact-index.ts';
import { countFacts } from '../db/indexer/facts.ts';
import { type IndexerHead, indexerTablesExist, readIndexerHead } from '../db/indexer/head.ts';
import type { FeederError } from '../db/rows/feeder-error.ts';
import { moveHeads } from '../db/write/changes.ts';
import { writeFeederErrors } from '../db/write/feeder-errors.ts';
import type { SettleQueue } from '../queue/settle-queue.ts';
import type { ChainWatch } from './chain-watch.ts';
import { checkFacts, type Mismatch } from './check-facts.ts';
import { groupIntoJobs, MAX_COUNTED } from './group-into-jobs.ts';
import type { RecentPushes } from './recent-pushes.ts';

/** Everything that a tick of the feeder needs. */
export interface FeederOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  readonly queue: Pick<SettleQueue, 'push'>;
  /** Called if the chain does not answer; feeding continues with what is known. */
  readonly onChainError: (error: unknown) => void;
  /** Pushes of previous ticks; without it each tick pushes every campaign that is behind. */
  readonly pushed?: { readonly facts: RecentPushes; readonly clocks: RecentPushes };
  /** Decides when the chain is asked; without it each tick asks for the newest block and the tags. */
  readonly watch?: ChainWatch;
  /** Position at which the sweep continues; without it each tick begins a sweep. */
  readonly sweep?: SweepPosition;
}

/** Position of the slow sweep over all campaigns, from tick to tick. */
export interface SweepPosition {
  after: string;
}

/** Campaigns that one tick sweeps: 100,000 of them take some two minutes, and a tick some milliseconds. */
const SWEPT_PER_TICK = 200;

/** A running tick, and the errors that it has met. */
interface Tick extends FeederOptions {
  readonly feederErrors: Map<FeederError['name'], FeederError>;
}

/** Result of comparing facts with the chain in a tick. */
interface Checked {
  readonly checked: CheckedHead;
  /** `null` if the facts agree with the chain so far. */
  readonly mismatch: Mismatch | null;
  /** True if the chain was seen to have the checked head in this tick. */
  readonly onChain: boolean;
  /** A block that the chain was seen to have in this tick; `null` if there was none. */
  readonly confirmed: CheckedBlock | null;
  /** True if the chain was last seen without the recorded finalized block. */
  readonly finalizedReplaced: boolean;
}

/** The settled block of a tick. */
interface Settling {
  readonly settled: SettledBlock | null;
  /** True if the chain has the block; `undefined` if the chain did not say so in this tick. */
  readonly onChain: boolean | undefined;
  /** True if every campaign is folded up to it, and none has to be rolled back. */
  readonly complete: boolean;
}

/**
 * Runs one tick: compares the facts with the chain and the cursors with the facts, queues the campaigns
 * that have something to settle, and records the heads. It compares states and does not rely on events,
 * so that nothing is lost with a wake-up, a job or the whole queue (docs/settlement.md#what-a-tick-costs).
 * Its cost depends on the number of campaigns that changed.
 */
export async function feed(options: FeederOptions): Promise<void> {
  const { pool, chain } = options;
  const tick: Tick = { ...options, feederErrors: new Map() };
  // Requested before the facts are read, so that lag is never reported too small. Finality, too, must be
  // requested before the settled block is seen on the chain (`nextFinality`).
  const isFull = options.watch?.isDue() ?? true;
  const requested = isFull
    ? Promise.all([readChain(tick, () => chain.head()), readChain(tick, () => chain.finality())])
    : undefined;
  const known = await readHeads(pool);
  if (known === undefined || !(await indexerTablesExist(pool, known.indexerSchema))) return;
  const schema = known.indexerSchema;
  await ensureFactIndex(pool, schema);
  const [newest, tags] = (await requested) ?? [undefined, undefined];
  const before = await readIndexerHead(pool, schema);
  const { head, ...found } = await check(tick, known, newest, before, isFull);
  const { checked } = found;
  await sweep(tick, schema);
  // After the check, which records the campaigns that it has found facts of.
  const { indexer, backlog } = await readBacklog(pool, schema);
  const mismatch = found.mismatch ?? lostFact(backlog);
  if (mismatch !== null) {
    const { name, blockNumber, message } = mismatch;
    tick.feederErrors.set(name, { name, blockNumber, message });
  }
  const foldable = foldableOf(backlog, checked);
  await pushBehind(tick, known.indexerSchema, foldable);
  const settling = await settledBlock(tick, known.settled, found, indexer, backlog);
  const { settled } = settling;
  const [due, finality] = await Promise.all([
    settled === null ? [] : campaignsDue(pool, settled.timestamp),
    nextFinality(tick, { ...known, ...found }, tags, indexer, settling),
  ]);
  const heads: NextHeads = {
    indexerReady: indexer.ready,
    chainNumber: head?.number ?? known.chainNumber,
    chainTimestamp: head?.timestamp ?? known.chainTimestamp,
    indexedNumber: indexer.blockNumber,
    settled,
    ...finality,
    onOneFork: known.rollingBack && settling.complete && settling.onChain === true,
  };
  const isFine =
    tick.feederErrors.size === 0 &&
    settling.complete &&
    !(known.rollingBack || known.finalizedReplaced || finality.finalizedReplaced);
  options.watch?.record(head, isFine);
  await Promise.all([
    moveHeads(pool, known, heads),
    writeFeederErrors(pool, [...tick.feederErrors.values()]),
  ]);
  await pushDue(tick, due, foldable);
}

/**
 * Advances the settled block to what was folded since the last tick, up to the block which that tick
 * checked, and queues campaigns with facts that came during their last batch. It requests only the time
 * and hash of the new settled block, and rolls nothing back: a tick does that.
 */
export async function advanceSettledBlock(options: FeederOptions): Promise<void> {
  const { pool, chain } = options;
  const tick: Tick = { ...options, feederErrors: new Map() };
  const known = await readHeads(pool);
  if (known === undefined || !(await indexerTablesExist(pool, known.indexerSchema))) return;
  // Read first: campaigns are recorded as behind before the checked head moves past their facts.
  const checked = await readChecked(pool, known.indexerSchema, chain.startBlock);
  const { indexer, backlog } = await readBacklog(pool, known.indexerSchema);
  const foldable = foldableOf(backlog, checked).filter(({ cursorMissing }) => !cursorMissing);
  await pushBehind(tick, known.indexerSchema, foldable);
  const candidate = settledNumber(checked, indexer, backlog);
  if (candidate === null || candidate <= (known.settled?.number ?? -1)) return;
  const settled = await blockAt(tick, candidate, checked);
  if (settled === undefined || settled === null) return;
  await moveHeads(pool, known, { ...known, settled });
  await pushDue(tick, await campaignsDue(pool, settled.timestamp), foldable);
}

/** Campaigns with facts that a batch can fold now: at or below the checked head. */
function foldableOf(backlog: readonly Backlog[], checked: CheckedHead): readonly Backlog[] {
  return backlog.filter(
    ({ cursorMissing, firstBlock }) => cursorMissing || (firstBlock ?? 0) <= checked.number,
  );
}

/**
 * Queues campaigns with facts to fold. A campaign whose fact is missing is queued at each tick and alone,
 * because it may have to ask the chain or roll back. A campaign whose last batch failed is queued alone,
 * too, because others would fail with it.
 */
async function pushBehind(
  { pool, queue, pushed }: Tick,
  schema: string,
  backlog: readonly Backlog[],
): Promise<void> {
  const missing = backlog.filter(({ cursorMissing }) => cursorMissing);
  const present = backlog.filter(({ cursorMissing }) => !cursorMissing);
  const progress = new Map(
    present.map(({ campaignId, firstBlock }) => [campaignId, `${firstBlock}`]),
  );
  const toPush =
    pushed === undefined
      ? [...progress.keys()]
      : await pushed.facts.campaignsToPush(progress, performance.now());
  const failing = new Set(
    present.flatMap(({ campaignId, failing: isFailing }) => (isFailing ? [campaignId] : [])),
  );
  const groupable = toPush.filter((campaignId) => !failing.has(campaignId));
  const facts =
    groupable.length < 2
      ? new Map(groupable.map((campaignId) => [campaignId, 1]))
      : await countFacts(pool, schema, groupable, MAX_COUNTED);
  const alone = [
    ...missing.map(({ campaignId }) => campaignId),
    ...toPush.filter((campaignId) => failing.has(campaignId)),
  ];
  await queue.push([...alone.map((campaignId) => [campaignId]), ...groupIntoJobs(facts)]);
}

/** Queues campaigns whose clock has something due or moves back, except those with facts to fold. */
async function pushDue(
  { queue, pushed }: Tick,
  due: readonly DueCampaign[],
  backlog: readonly Backlog[],
): Promise<void> {
  const progress = new Map(due.map(({ campaignId, clock }) => [campaignId, `${clock}`]));
  for (const { campaignId } of backlog) progress.delete(campaignId);
  const toPush =
    pushed === undefined
      ? [...progress.keys()]
      : await pushed.clocks.campaignsToPush(progress, performance.now());
  await queue.push(groupIntoJobs(new Map(toPush.map((campaignId) => [campaignId, 0]))));
}

/**
 * Compares facts with the chain (docs/settlement.md#detect-dont-trust).
 * @param newest the chain's newest block; `undefined` if it was not requested, or did not come.
 * @param isFull false if it was not requested: then the chain is asked only about unchecked blocks.
 */
async function check(
  tick: Tick,
  known: Heads,
  newest: ChainHead | undefined,
  indexer: IndexerHead,
  isFull: boolean,
): Promise<Checked & { readonly head: ChainHead | undefined }> {
  const { pool, chain, watch } = tick;
  const { indexerSchema: schema } = known;
  let { finalizedReplaced } = known;
  const onReorg = async () => {
    finalizedReplaced = !(await hasFinalized(chain, known));
    if (finalizedReplaced) await markFinalizedReplaced(pool);
  };
  const before = await readChecked(pool, schema, chain.startBlock);
  const { blockNumber: indexed } = indexer;
  const head =
    isFull || watch === undefined || indexed === null
      ? newest
      : await readChain(tick, () => watch.headFor(chain, before.number, indexed));
  const nothing = { head, mismatch: null, onChain: false, confirmed: null };
  if (head === undefined) return { ...nothing, checked: before, finalizedReplaced };
  const options = { pool, chain, schema, checked: before, onReorg };
  const found = await readChain(tick, () => checkFacts(options, head, indexer));
  if (found !== undefined) return { head, ...found, finalizedReplaced };
  // What was checked before the error stays checked.
  const checked = await readChecked(pool, schema, chain.startBlock);
  return { ...nothing, checked, finalizedReplaced };
}

/** True if the chain has the recorded finalized block, or none is recorded. */
async function hasFinalized(
  chain: Chain,
  { finalizedNumber, finalizedHash }: Heads,
): Promise<boolean> {
  if (finalizedNumber === null) return true;
  return (await chain.blockAt(finalizedNumber))?.hash === finalizedHash;
}

/** Sweeps some campaigns; all of them if it is not recorded which ones are behind. */
async function sweep({ pool, sweep: position }: Tick, schema: string): Promise<void> {
  if (await isBehindKnown(pool, schema)) {
    const { next } = await sweepCampaigns(
      pool,
      schema,
      position?.after ?? SWEEP_START,
      SWEPT_PER_TICK,
    );
    if (position !== undefined) position.after = next ?? SWEEP_START;
    return;
  }
  await sweepCampaigns(pool, schema, SWEEP_START, null);
  await setBehindKnown(pool, schema);
}

/** The first fact that disappeared after its block was checked and before it was folded. */
function lostFact(backlog: readonly Backlog[]): Mismatch | null {
  const lost = backlog.flatMap((one) => (one.lost === null ? [] : [{ ...one.lost, one }]));
  const [first] = lost.sort((a, b) => a.blockNumber - b.blockNumber);
  if (first === undefined) return null;
  const { blockNumber, eventId, one } = first;
  const message = `Block ${blockNumber}: the indexer lost event ${eventId} of campaign ${one.campaignId}.`;
  return { name: 'mismatch', blockNumber, message };
}

/**
 * The highest indexed and checked block with no unfolded fact at or below it
 * (docs/settlement.md#the-settled-block). It moves back only if the chain replaced that block: the lower
 * head of an indexer that recovers from a crash hides nothing that was readable.
 */
async function settledBlock(
  tick: Tick,
  before: SettledBlock | null,
  { checked, onChain, confirmed }: Pick<Checked, 'checked' | 'onChain' | 'confirmed'>,
  indexer: IndexerHead,
  backlog: readonly Backlog[],
): Promise<Settling> {
  const candidate = settledNumber(checked, indexer, backlog);
  const complete = (settled: SettledBlock) => candidate !== null && candidate >= settled.number;
  const stay = (isOnChain: boolean | undefined): Settling =>
    before === null
      ? { settled: null, onChain: undefined, complete: false }
      : { settled: before, onChain: isOnChain, complete: complete(before) };
  const goTo = async (number: number): Promise<Settling> => {
    const block = await blockAt(tick, number, checked);
    if (block == null) return stay(undefined);
    const isOnChain = number === checked.number ? onChain || undefined : true;
    return { settled: block, onChain: isOnChain, complete: complete(block) };
  };
  if (candidate === before?.number && indexer.blockNumber === candidate) return goTo(candidate);
  if (candidate !== null && (before === null || candidate > before.number)) return goTo(candidate);
  if (before === null) return stay(undefined);
  if (confirmed?.number === before.number && confirmed.hash === before.hash) return stay(true);
  const current = await readChain(tick, () => tick.chain.blockAt(before.number));
  // Unreachable chain: nothing is known to have changed.
  if (current === undefined) return stay(undefined);
  if (current?.hash === before.hash) return stay(true);
  return candidate === null ? stay(false) : await goTo(candidate);
}

/** Height of the settled block; `null` if no block is indexed or checked, or a cursor's fact is missing. */
function settledNumber(
  checked: CheckedHead,
  indexer: IndexerHead,
  backlog: readonly Backlog[],
): number | null {
  if (indexer.blockNumber === null || checked.hash === null) return null;
  let number = Math.min(indexer.blockNumber, checked.number);
  for (const { cursorMissing, firstBlock } of backlog) {
    if (cursorMissing) return null;
    if (firstBlock !== null && firstBlock <= number) number = firstBlock - 1;
  }
  return number;
}

/** A block of the chain; `null` above the head, `undefined` if the chain does not answer. */
async function blockAt(
  tick: Tick,
  number: number,
  checked: CheckedHead,
): Promise<ChainBlock | null | undefined> {
  // Its hash was compared in this tick, or when the chain last answered.
  if (number === checked.number && checked.hash !== null) return { ...checked, hash: checked.hash };
  return await readChain(tick, () => tick.chain.blockAt(number));
}

async function readChain<T>(tick: Tick, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    tick.onChainError(error);
    const [name, message] =
      error instanceof RpcDisagreementError
        ? (['disagreement', `${error.message}.`] as const)
        : (['rpc', 'The RPC does not answer as it should: see the log of the worker.'] as const);
    tick.feederErrors.set(name, { name, blockNumber: null, message });
    return undefined;
  }
}

/**
 * The safe and finalized heights of the ledger. The ledger up to the settled block is folded from the
 * chain that was seen to have that block. A finalized block that was requested before that is on the same
 * chain, because no reorg replaces it. So finality moves on only if the settled block was seen on the
 * chain afterwards, and never above it (docs/settlement.md#the-settled-block).
 * @param tags the chain's own tags; `undefined` if the chain did not answer.
 */
async function nextFinality(
  tick: Tick,
  known: Heads,
  tags: { readonly safe: number | null; readonly finalized: number | null } | undefined,
  indexer: IndexerHead,
  { settled, onChain, complete }: Settling,
): Promise<
  Pick<NextHeads, 'safeNumber' | 'finalizedNumber' | 'finalizedHash' | 'finalizedReplaced'>
> {
  const { safeNumber, finalizedNumber, finalizedHash } = known;
  const finalizedReplaced = await isFinalizedReplaced(tick, known);
  const reported = settled && lowest(tags?.finalized ?? indexer.finalizedNumber, settled.number);
  const isSure = tags !== undefined && complete && onChain === true;
  // A final block that was replaced stays recorded until finality has passed it: campaigns that have
  // events of it are stopped, and not rolled back.
  if (
    !isSure ||
    settled === null ||
    (finalizedReplaced && (reported ?? -1) <= (finalizedNumber ?? -1))
  ) {
    // A safe block may be replaced, and then the settled one above it is as well.
    const isDoubtful = onChain === false || finalizedReplaced;
    const safe = isDoubtful ? finalizedNumber : safeNumber;
    return { safeNumber: safe, finalizedNumber, finalizedHash, finalizedReplaced };
  }
  // The indexer's own finality replaces a tag that the chain does not have. It moves back when the
  // indexer restarts, but what was final stays final.
  const number = highest(reported, finalizedNumber);
  const hash = number === finalizedNumber ? finalizedHash : await hashAt(tick, number, settled);
  const final = hash === null ? finalizedNumber : number;
  return {
    safeNumber: highest(lowest(tags.safe, settled.number), final),
    finalizedNumber: final,
    finalizedHash: hash ?? finalizedHash,
    finalizedReplaced: false,
  };
}

/** True if the recorded finalized block is still replaced. Asks the chain only if it was. */
async function isFinalizedReplaced(tick: Tick, known: Heads): Promise<boolean> {
  if (!known.finalizedReplaced) return false;
  return (await readChain(tick, () => hasFinalized(tick.chain, known))) !== true;
}

/** Hash of a block; `null` if the chain does not have it, or does not answer. */
async function hashAt(
  tick: Tick,
  number: number | null,
  settled: SettledBlock,
): Promise<SettledBlock['hash'] | null> {
  if (number === null) return null;
  if (number === settled.number) return settled.hash;
  return (await readChain(tick, () => tick.chain.blockAt(number)))?.hash ?? null;
}

function highest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}

/** The lower of two heights; `null` if the first is not known. */
function lowest(a: number | null, b: number): number | null {
  return a === null ? null : Math.min(a, b);
}
