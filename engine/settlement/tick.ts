import { callWatch } from '../chain/call-watch.ts';
import type { Chain } from '../chain/chain.ts';
import { failureOf, isRateLimited, waitAfter } from '../chain/errors.ts';
import { RpcDisagreementError } from '../chain/quorum.ts';
import type { Pool } from '../db/connection.ts';
import { readHeads } from '../db/heads.ts';
import { readChecked } from '../db/indexer/checked.ts';
import { ensureFactIndex } from '../db/indexer/fact-index.ts';
import { indexerTablesExist } from '../db/indexer/head.ts';
import { readTickStart, type TickStart } from '../db/indexer/tick-start.ts';
import type { LeaderToken } from '../db/leadership.ts';
import type { FeederError } from '../db/rows/feeder-error.ts';
import type { SettleQueue } from '../queue/settle-queue.ts';
import type { ChainWatch, Refusal } from './chain-watch.ts';
import type { RecentPushes } from './recent-pushes.ts';
import type { BeforeCommit } from './settle-campaigns.ts';

/** Everything that a tick of the feeder needs. */
export interface FeederOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  readonly queue: Pick<SettleQueue, 'push'>;
  /** The worker that runs the tick as the leader; without it no leader's token is compared. */
  readonly leader?: LeaderToken;
  /** Called if the chain does not answer; feeding continues with what is known. */
  readonly onChainError: (error: unknown) => void;
  /** Pushes of previous ticks; without it each tick pushes every campaign that is behind. */
  readonly pushed?: { readonly facts: RecentPushes; readonly clocks: RecentPushes };
  /** True if the indexer has announced a block since the last tick. */
  readonly isAnnounced?: boolean;
  /** Decides when the chain is asked; without it each tick asks for the newest block and the tags. */
  readonly watch?: ChainWatch;
  /** Position at which the sweep continues; without it each tick begins a sweep. */
  readonly sweep?: SweepPosition;
  /** Schema whose tables were seen; without it each tick looks for them. */
  readonly seen?: SeenSchema;
  /** Settles a few facts in this process; without it all are queued. */
  readonly settleHere?: SettleHere;
}

/**
 * Settles campaigns without a detour through the queue. Queues them if their batch fails.
 * @param beforeCommit called in each batch's transaction (`settleCampaigns`).
 * @returns true if it succeeded.
 */
export type SettleHere = (
  campaignIds: readonly string[],
  beforeCommit: BeforeCommit,
) => Promise<boolean>;

/** A schema whose tables exist, from tick to tick. */
export interface SeenSchema {
  schema: string | undefined;
}

/** Position of the slow sweep over all campaigns, from tick to tick. */
export interface SweepPosition {
  after: string;
}

/** A running tick, and the errors that it has met. */
export interface Tick extends FeederOptions {
  readonly feederErrors: Map<FeederError['name'], FeederError>;
  /** When it began, a time of `performance.now()`. */
  readonly startedAt: number;
  /** True if the chain did not return its newest block in time: then it is not asked again in this tick. */
  isChainSilent: boolean;
  /** The last request that the chain did not answer. */
  refusal?: Refusal;
  /** True if new blocks without a fact wait to be checked together (`ChainWatch.mayWait`). */
  isWaiting: boolean;
}

/** A tick that begins now. */
export function newTick(options: FeederOptions): Tick {
  const startedAt = performance.now();
  const state = { isChainSilent: false, isWaiting: false };
  return { ...options, feederErrors: new Map(), startedAt, ...state };
}

/** Asks the chain. @returns `undefined` if it does not answer, which the tick records. */
export async function askChain<T>(tick: Tick, read: () => Promise<T>): Promise<T | undefined> {
  if (tick.isChainSilent) return undefined;
  try {
    return await read();
  } catch (error) {
    tick.onChainError(error);
    const [name, message] =
      error instanceof RpcDisagreementError
        ? (['disagreement', `${error.message}.`] as const)
        : (['rpc', [`The blockchain node ${failureOf(error)}.`, ...hanging()].join(' ')] as const);
    const feederError = { name, blockNumber: null, message };
    tick.feederErrors.set(name, feederError);
    if (name === 'rpc') noteRefusal(tick, error, feederError);
    return undefined;
  }
}

/** Notes how long to wait. An RPC that limits how much it is asked is asked nothing else in this tick. */
function noteRefusal(tick: Tick, error: unknown, feederError: FeederError): void {
  const isLimit = isRateLimited(error);
  const waitMs = Math.max(waitAfter(error), tick.refusal?.waitMs ?? 0);
  const isRefusedForRate = isLimit || tick.refusal?.isRateLimited === true;
  tick.refusal = { error: feederError, isRateLimited: isRefusedForRate, waitMs };
  if (isLimit) tick.isChainSilent = true;
}

/** Sentences about the calls that an RPC has not answered for a minute. Readers may see them: they name no address. */
function hanging(): string[] {
  return callWatch
    .hanging()
    .map(
      ({ method, place, since }) =>
        `RPC ${place} of RPC_URL has not answered ${method} since ${since.toISOString()}.`,
    );
}

/** Reads what a tick begins with; `undefined` before the indexer has made its tables. */
export async function startTick({
  pool,
  chain,
  seen,
}: FeederOptions): Promise<TickStart | undefined> {
  if (seen?.schema !== undefined) {
    const start = await readTickStart(pool, seen.schema).catch(undefinedIfDropped);
    if (start?.hasFactIndex) return start;
    seen.schema = undefined;
  }
  const schema = (await readHeads(pool))?.indexerSchema;
  if (schema === undefined || !(await indexerTablesExist(pool, schema))) return undefined;
  await ensureFactIndex(pool, schema);
  await readChecked(pool, schema, chain.startBlock);
  if (seen !== undefined) seen.schema = schema;
  return await readTickStart(pool, schema);
}

/** PostgreSQL's codes for a table, and for a schema, that does not exist. */
const DROPPED_CODES = /^(?:42P01|3F000)$/;

/** The schema of an indexer that was replaced is dropped after a while. */
function undefinedIfDropped(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && DROPPED_CODES.test(String(error.code))) return;
  throw error;
}
