import type { Hex } from '../core/events.ts';
import { advisoryLocks } from '../db/advisory-locks.ts';
import type { Pool } from '../db/connection.ts';
import { dueSales } from '../db/read/due-sales.ts';
import { NotSettledError, readLedger } from '../db/read/snapshot.ts';
import type { KeeperChain } from './chain.ts';

export interface KeepOptions {
  readonly pool: Pool;
  readonly chain: KeeperChain;
  /** Gas units that one transaction may take. */
  readonly maxGas: bigint;
  /** Wei that a unit of gas may cost: above it the keeper waits. */
  readonly maxFeePerGas: bigint;
}

/** What one look came to. */
export type Kept =
  /** A transaction was sent. */
  | { readonly outcome: 'sent'; readonly saleIds: readonly string[]; readonly hash: Hex }
  /** Nothing is due; or all that is due would revert. */
  | { readonly outcome: 'idle' }
  /** Another keeper of this deployment is at it, or one of our transactions is in no block yet. */
  | { readonly outcome: 'waiting' }
  /** Gas costs more than it may, wei a unit. */
  | { readonly outcome: 'dear'; readonly feePerGas: bigint };

/** Sales that one transaction finalizes at most. */
const SALES_MOST = 100;

/** An estimate is of the newest block, and the next one may find a level more to vest. */
const GAS_MARGIN_PERCENT = 120n;

/**
 * Finalizes sales whose hold is over, as many as fit into one transaction (docs/operations.md,
 * «Keeper»). Safe to run twice and by several: one at a time holds the lock, one transaction is under
 * way at a time, and the contract skips what is final already.
 */
export async function keep(options: KeepOptions): Promise<Kept> {
  const session = await options.pool.reserve();
  try {
    const [row] = await session<{ locked: boolean }[]>`
      select pg_try_advisory_lock(${advisoryLocks.keeper}) as locked`;
    if (row?.locked !== true) return { outcome: 'waiting' };
    try {
      return await keepLocked(options);
    } finally {
      await session`select pg_advisory_unlock(${advisoryLocks.keeper})`;
    }
  } finally {
    session.release();
  }
}

async function keepLocked({ pool, chain, maxGas, maxFeePerGas }: KeepOptions): Promise<Kept> {
  if ((await chain.inFlight()) > 0) return { outcome: 'waiting' };
  const due = await chain.stillPending(await readDue(pool));
  const fitting = await whatFits(
    chain,
    due.map(({ saleId }) => saleId),
    maxGas,
  );
  if (fitting === undefined) return { outcome: 'idle' };
  const feePerGas = await chain.feePerGas();
  if (feePerGas > maxFeePerGas) return { outcome: 'dear', feePerGas };
  const gas = withMargin(fitting.gas, maxGas);
  const hash = await chain.finalize(fitting.saleIds, gas, feePerGas);
  return { outcome: 'sent', saleIds: fitting.saleIds, hash };
}

async function readDue(pool: Pool) {
  try {
    return await readLedger(pool, ({ sql, head }) => dueSales(sql, head, SALES_MOST));
  } catch (error) {
    if (error instanceof NotSettledError) return [];
    throw error;
  }
}

/**
 * The longest beginning of the list that goes into one transaction, found by halving. A single sale
 * that reverts, or takes too much gas by itself, is left out, so that it holds up no other.
 */
async function whatFits(
  chain: KeeperChain,
  saleIds: readonly string[],
  maxGas: bigint,
): Promise<{ saleIds: readonly string[]; gas: bigint } | undefined> {
  let left = saleIds;
  while (left.length > 0) {
    const gas = await chain.gasOf(left);
    if (gas !== null && gas <= maxGas) return { saleIds: left, gas };
    if (left.length > 1) left = left.slice(0, Math.ceil(left.length / 2));
    else return await whatFits(chain, saleIds.slice(1), maxGas);
  }
  return undefined;
}

function withMargin(gas: bigint, maxGas: bigint): bigint {
  const roomy = (gas * GAS_MARGIN_PERCENT) / 100n;
  return roomy < maxGas ? roomy : maxGas;
}
