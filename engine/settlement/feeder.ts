import {
  type Backlog,
  isBehindKnown,
  readBacklog,
  SWEEP_START,
  setBehindKnown,
  sweepCampaigns,
} from '../db/backlog.ts';
import { type CheckedHead, readChecked } from '../db/checked.ts';
import type { Pool } from '../db/connection.ts';
import { ensureFactIndex } from '../db/fact-index.ts';
import { countFacts } from '../db/facts.ts';
import {
  campaignsDue,
  type DueCampaign,
  type Heads,
  markFinalizedReplaced,
  type NextHeads,
  readHeads,
  type SettledBlock,
} from '../db/heads.ts';
import { type IndexerHead, indexerTablesExist, readIndexerHead } from '../db/indexer-head.ts';
import { moveHeads } from '../db/write/changes.ts';
import { type Trouble, writeTroubles } from '../db/write/troubles.ts';
import type { Chain, ChainBlock, ChainHead } from './chain.ts';
import { checkFacts, type Mismatch } from './check-facts.ts';
import { COUNTED_MOST, packed } from './packs.ts';
import type { Pushed } from './pushed.ts';
import type { SettleQueue } from './queue.ts';
import { RpcDisagreementError } from './quorum.ts';

export interface FeederOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  readonly queue: Pick<SettleQueue, 'push'>;
  /** Called where the chain cannot be asked; feeding goes on with what is known. */
  readonly onChainError: (error: unknown) => void;
  /** What looks before have pushed; without it each look pushes all that is behind. */
  readonly pushed?: { readonly facts: Pushed; readonly clocks: Pushed };
  /** Where the sweep goes on; without it each tick begins a sweep. */
  readonly sweep?: SweepPosition;
}

/** How far the slow sweep over all campaigns has come, from tick to tick. */
export interface SweepPosition {
  after: string;
}

/** Campaigns that one tick sweeps: 100,000 of them take some two minutes, and a tick some milliseconds. */
const SWEPT_PER_TICK = 200;

/** A look under way, and what it has met. */
interface Look extends FeederOptions {
  readonly troubles: Map<Trouble['name'], Trouble>;
}

/** What a look found out about facts and chain. */
interface Checked {
  readonly checked: CheckedHead;
  /** `null` if the facts agree with the chain so far. */
  readonly mismatch: Mismatch | null;
  /** True if the chain was seen to have the checked head in this look. */
  readonly onChain: boolean;
  /** True if the chain was last seen without the recorded finalized block. */
  readonly finalizedReplaced: boolean;
}

/** The settled block of a look. */
interface Settling {
  readonly settled: SettledBlock | null;
  /** Whether the chain has it; `undefined` if the chain did not say in this look. */
  readonly onChain: boolean | undefined;
  /** True if every campaign is folded up to it, and none has to be rolled back. */
  readonly complete: boolean;
}

/**
 * One tick: compares the facts with the chain and the cursors with the facts, queues the campaigns that
 * have something to look at, and writes the heads down. It looks at levels, not edges, so that nothing is
 * lost where a wake-up, a job or the whole queue was (design §5). Its cost follows the campaigns that changed.
 */
export async function feed(options: FeederOptions): Promise<void> {
  const { pool, chain } = options;
  const look: Look = { ...options, troubles: new Map() };
  // Asked before the facts are read: lag is then never shown smaller than it is. Finality, too, must be
  // asked before the settled block is seen on the chain (`nextFinality`).
  const asked = Promise.all([
    askChain(look, () => chain.head()),
    askChain(look, () => chain.finality()),
  ]);
  const known = await readHeads(pool);
  if (known === undefined || !(await indexerTablesExist(pool, known.indexerSchema))) return;
  const schema = known.indexerSchema;
  await ensureFactIndex(pool, schema);
  const [head, tags] = await asked;
  const found = await check(look, known, head, await readIndexerHead(pool, schema));
  const { checked } = found;
  await sweep(look, schema);
  // After the check, which notes the campaigns that it has found facts of.
  const { indexer, backlog } = await readBacklog(pool, schema);
  const mismatch = found.mismatch ?? lostFact(backlog);
  if (mismatch !== null) {
    const { name, blockNumber, message } = mismatch;
    look.troubles.set(name, { name, blockNumber, message });
  }
  const foldable = foldableOf(backlog, checked);
  await pushBehind(look, known.indexerSchema, foldable);
  const settling = await settledBlock(look, known.settled, found, indexer, backlog);
  const { settled } = settling;
  const [due, finality] = await Promise.all([
    settled === null ? [] : campaignsDue(pool, settled.timestamp),
    nextFinality(look, { ...known, ...found }, tags, indexer, settling),
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
  await Promise.all([
    moveHeads(pool, known, heads),
    writeTroubles(pool, [...look.troubles.values()]),
  ]);
  await pushDue(look, due, foldable);
}

/**
 * Moves the settled block up to what was folded since the last look, as far as that look has
 * checked, and queues what came while a campaign's last batch was under way. It asks the chain nothing
 * that is known, and takes nothing back: a look does that.
 */
export async function followSettled(options: FeederOptions): Promise<void> {
  const { pool, chain } = options;
  const look: Look = { ...options, troubles: new Map() };
  const known = await readHeads(pool);
  if (known === undefined || !(await indexerTablesExist(pool, known.indexerSchema))) return;
  // Read first: campaigns are noted as behind before the checked head moves past their facts.
  const checked = await readChecked(pool, known.indexerSchema, chain.startBlock);
  const { indexer, backlog } = await readBacklog(pool, known.indexerSchema);
  const came = foldableOf(backlog, checked).filter(({ cursorMissing }) => !cursorMissing);
  await pushBehind(look, known.indexerSchema, came);
  const candidate = settledNumber(checked, indexer, backlog);
  if (candidate === null || candidate <= (known.settled?.number ?? -1)) return;
  const settled = await blockAt(look, candidate, checked);
  if (settled === undefined || settled === null) return;
  await moveHeads(pool, known, { ...known, settled });
  await pushDue(look, await campaignsDue(pool, settled.timestamp), came);
}

/** What a batch would fold now: a fact above the checked head would only be looked at. */
function foldableOf(backlog: readonly Backlog[], checked: CheckedHead): readonly Backlog[] {
  return backlog.filter(
    ({ cursorMissing, firstBlock }) => cursorMissing || (firstBlock ?? 0) <= checked.number,
  );
}

/**
 * Queues campaigns with facts to fold. One whose fact is missing is looked into each time, and alone: the
 * chain may have to be asked, or rows to be taken back. One whose last batch failed goes alone, too: others
 * would fail with it.
 */
async function pushBehind(
  { pool, queue, pushed }: Look,
  schema: string,
  backlog: readonly Backlog[],
): Promise<void> {
  const missing = backlog.filter(({ cursorMissing }) => cursorMissing);
  const present = backlog.filter(({ cursorMissing }) => !cursorMissing);
  const standings = new Map(
    present.map(({ campaignId, firstBlock }) => [campaignId, `${firstBlock}`]),
  );
  const behind =
    pushed === undefined
      ? [...standings.keys()]
      : await pushed.facts.take(standings, performance.now());
  const failing = new Set(
    present.flatMap(({ campaignId, failing: has }) => (has ? [campaignId] : [])),
  );
  const together = behind.filter((campaignId) => !failing.has(campaignId));
  const facts =
    together.length < 2
      ? new Map(together.map((campaignId) => [campaignId, 1]))
      : await countFacts(pool, schema, together, COUNTED_MOST);
  const alone = [
    ...missing.map(({ campaignId }) => campaignId),
    ...behind.filter((campaignId) => failing.has(campaignId)),
  ];
  await queue.push([...alone.map((campaignId) => [campaignId]), ...packed(facts)]);
}

/** Queues campaigns whose clock has something due, or goes back, but for those that have facts to fold. */
async function pushDue(
  { queue, pushed }: Look,
  due: readonly DueCampaign[],
  backlog: readonly Backlog[],
): Promise<void> {
  const standings = new Map(due.map(({ campaignId, clock }) => [campaignId, `${clock}`]));
  for (const { campaignId } of backlog) standings.delete(campaignId);
  const taken =
    pushed === undefined
      ? [...standings.keys()]
      : await pushed.clocks.take(standings, performance.now());
  await queue.push(packed(new Map(taken.map((campaignId) => [campaignId, 0]))));
}

/** Compares facts with the chain (docs/settlement.md, "Detect, don't trust"). */
async function check(
  look: Look,
  known: Heads,
  head: ChainHead | undefined,
  indexer: IndexerHead,
): Promise<Checked> {
  const { pool, chain } = look;
  const { indexerSchema: schema } = known;
  let { finalizedReplaced } = known;
  const onReorg = async () => {
    finalizedReplaced = !(await hasFinalized(chain, known));
    if (finalizedReplaced) await markFinalizedReplaced(pool);
  };
  const options = { pool, chain, schema, onReorg };
  const found = head && (await askChain(look, () => checkFacts(options, head, indexer)));
  return {
    checked: found?.checked ?? (await readChecked(pool, schema, chain.startBlock)),
    mismatch: found?.mismatch ?? null,
    onChain: found?.onChain ?? false,
    finalizedReplaced,
  };
}

/** Whether the chain has the finalized block that was recorded; true if none was. */
async function hasFinalized(
  chain: Chain,
  { finalizedNumber, finalizedHash }: Heads,
): Promise<boolean> {
  if (finalizedNumber === null) return true;
  return (await chain.blockAt(finalizedNumber))?.hash === finalizedHash;
}

/** Sweeps some campaigns; all of them if nobody knows which ones are behind. */
async function sweep({ pool, sweep: position }: Look, schema: string): Promise<void> {
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

/** A fact that was there when its block was checked, and went before it was folded. */
function lostFact(backlog: readonly Backlog[]): Mismatch | null {
  const lost = backlog.flatMap((one) => (one.lost === null ? [] : [{ ...one.lost, one }]));
  const [first] = lost.sort((a, b) => a.blockNumber - b.blockNumber);
  if (first === undefined) return null;
  const { blockNumber, eventId, one } = first;
  const message = `Block ${blockNumber}: the indexer lost event ${eventId} of campaign ${one.campaignId}.`;
  return { name: 'mismatch', blockNumber, message };
}

/**
 * The highest indexed and checked block with no unfolded fact at or below it (design §5, Finality).
 * It falls only where the chain replaced that block: while the indexer recovers from a crash it
 * stands lower for a while, and nothing that was readable goes missing.
 */
async function settledBlock(
  look: Look,
  before: SettledBlock | null,
  { checked, onChain }: Pick<Checked, 'checked' | 'onChain'>,
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
    const block = await blockAt(look, number, checked);
    if (block == null) return stay(undefined);
    const seen = number === checked.number ? onChain || undefined : true;
    return { settled: block, onChain: seen, complete: complete(block) };
  };
  if (candidate === before?.number && indexer.blockNumber === candidate) return goTo(candidate);
  if (candidate !== null && (before === null || candidate > before.number)) return goTo(candidate);
  if (before === null) return stay(undefined);
  const still = await askChain(look, () => look.chain.blockAt(before.number));
  // Unreachable chain: nothing is known to have changed.
  if (still === undefined) return stay(undefined);
  if (still?.hash === before.hash) return stay(true);
  return candidate === null ? stay(false) : await goTo(candidate);
}

/** `null` where nothing can be said: no block is indexed or checked, or a cursor's fact is missing. */
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

/** `null` above the head; `undefined` where the chain does not answer. */
async function blockAt(
  look: Look,
  number: number,
  checked: CheckedHead,
): Promise<ChainBlock | null | undefined> {
  // Compared by its hash just now, or when the chain last answered.
  if (number === checked.number && checked.hash !== null) return { ...checked, hash: checked.hash };
  return await askChain(look, () => look.chain.blockAt(number));
}

async function askChain<T>(look: Look, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    look.onChainError(error);
    const [name, message] =
      error instanceof RpcDisagreementError
        ? (['disagreement', `${error.message}.`] as const)
        : (['rpc', 'The RPC does not answer as it should: see the log of the worker.'] as const);
    look.troubles.set(name, { name, blockNumber: null, message });
    return undefined;
  }
}

/**
 * How final the ledger is. The ledger up to the settled block is folded from the chain that was seen to
 * have that block. A finalized block that was asked for before that is on the same chain, because no
 * reorg replaces it. So finality moves on only if the settled block was seen on the chain afterwards,
 * and never above it (docs/settlement.md, "The settled block").
 * @param tags the chain's own tags; `undefined` if the chain did not answer.
 */
async function nextFinality(
  look: Look,
  known: Heads,
  tags: { readonly safe: number | null; readonly finalized: number | null } | undefined,
  indexer: IndexerHead,
  { settled, onChain, complete }: Settling,
): Promise<
  Pick<NextHeads, 'safeNumber' | 'finalizedNumber' | 'finalizedHash' | 'finalizedReplaced'>
> {
  const { safeNumber, finalizedNumber, finalizedHash } = known;
  const finalizedReplaced = await isFinalizedReplaced(look, known);
  const told = settled && lowest(tags?.finalized ?? indexer.finalizedNumber, settled.number);
  const isSure = tags !== undefined && complete && onChain === true;
  // A final block that was replaced stays recorded until finality has passed it: campaigns that have
  // events of it are stopped, and not rolled back.
  if (
    !isSure ||
    settled === null ||
    (finalizedReplaced && (told ?? -1) <= (finalizedNumber ?? -1))
  ) {
    // A safe block may be replaced, and then the settled one above it is as well.
    const isDoubtful = onChain === false || finalizedReplaced;
    const safe = isDoubtful ? finalizedNumber : safeNumber;
    return { safeNumber: safe, finalizedNumber, finalizedHash, finalizedReplaced };
  }
  // The indexer's own finality stands in for a tag that the chain does not have. It falls back when the
  // indexer restarts, and what was final stays final.
  const number = highest(told, finalizedNumber);
  const hash = number === finalizedNumber ? finalizedHash : await hashAt(look, number, settled);
  const final = hash === null ? finalizedNumber : number;
  return {
    safeNumber: highest(lowest(tags.safe, settled.number), final),
    finalizedNumber: final,
    finalizedHash: hash ?? finalizedHash,
    finalizedReplaced: false,
  };
}

/** Whether the recorded finalized block is still gone. Nothing is asked if it never was. */
async function isFinalizedReplaced(look: Look, known: Heads): Promise<boolean> {
  if (!known.finalizedReplaced) return false;
  return (await askChain(look, () => hasFinalized(look.chain, known))) !== true;
}

/** `null` if the chain does not have that block, or does not answer. */
async function hashAt(
  look: Look,
  number: number | null,
  settled: SettledBlock,
): Promise<SettledBlock['hash'] | null> {
  if (number === null) return null;
  if (number === settled.number) return settled.hash;
  return (await askChain(look, () => look.chain.blockAt(number)))?.hash ?? null;
}

function highest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}

/** The lower of two heights; `null` if the first is not known. */
function lowest(a: number | null, b: number): number | null {
  return a === null ? null : Math.min(a, b);
}
