import type { KeeperChain } from '../chain/keeper.ts';
import type { Hex } from '../core/events.ts';
import { MAX_FINALIZED_SALES } from '../core/finalizing.ts';
import { advisoryLocks } from '../db/advisory-locks.ts';
import type { Pool } from '../db/connection.ts';
import { dueSales } from '../db/read/sales/due.ts';
import { NotSettledError, readLedger } from '../db/read/snapshot.ts';
import { withLock } from '../db/with-lock.ts';

/** Database, chain and price limits of the keeper. */
export interface FinalizeOptions {
  readonly pool: Pool;
  readonly chain: KeeperChain;
  /** Gas units of one transaction. */
  readonly maxGas: bigint;
  /** Highest price of a unit of gas, wei; above it the keeper waits. */
  readonly maxFeePerGas: bigint;
}

/** Outcome of one poll of the keeper. */
export type KeeperResult =
  /** A transaction was sent. */
  | { readonly outcome: 'sent'; readonly saleIds: readonly string[]; readonly hash: Hex }
  /** No sale is due, or finalizing any of them would revert. */
  | { readonly outcome: 'idle' }
  /** Another keeper of this deployment is running, or one of our transactions is in no block yet. */
  | { readonly outcome: 'waiting' }
  /** Gas costs more than allowed, wei per unit. */
  | { readonly outcome: 'too-expensive'; readonly feePerGas: bigint };

/** Margin over the estimate, which is as of the newest block: the next one may vest one level more. */
const GAS_MARGIN_PERCENT = 120n;

/**
 * Finalizes sales whose hold is over, as many as fit into one transaction (docs/operate/run.md#keeper).
 * Safe to run twice and by several processes: one at a time holds the lock, one transaction is pending
 * at a time, and the contract skips sales that are final.
 */
export async function finalizeDueSales(options: FinalizeOptions): Promise<KeeperResult> {
  const result = await withLock(options.pool, advisoryLocks.keeper, () => finalizeLocked(options));
  return result ?? { outcome: 'waiting' };
}

async function finalizeLocked({
  pool,
  chain,
  maxGas,
  maxFeePerGas,
}: FinalizeOptions): Promise<KeeperResult> {
  if ((await chain.inFlight()) > 0) return { outcome: 'waiting' };
  const due = await chain.stillPending(await readDue(pool));
  const batch = await longestFit(
    chain,
    due.map(({ saleId }) => saleId),
    maxGas,
  );
  if (batch === undefined) return { outcome: 'idle' };
  const feePerGas = await chain.feePerGas();
  if (feePerGas > maxFeePerGas) return { outcome: 'too-expensive', feePerGas };
  const gas = withMargin(batch.gas, maxGas);
  const hash = await chain.finalize(batch.saleIds, gas, feePerGas);
  return { outcome: 'sent', saleIds: batch.saleIds, hash };
}

async function readDue(pool: Pool) {
  try {
    return await readLedger(pool, ({ sql, head }) => dueSales(sql, head, MAX_FINALIZED_SALES));
  } catch (error) {
    if (error instanceof NotSettledError) return [];
    throw error;
  }
}

/**
 * The longest prefix of the list that fits into one transaction, found by halving. A sale that reverts
 * or takes too much gas alone is left out, so that it does not block others.
 */
async function longestFit(
  chain: KeeperChain,
  saleIds: readonly string[],
  maxGas: bigint,
): Promise<{ saleIds: readonly string[]; gas: bigint } | undefined> {
  let left = saleIds;
  while (left.length > 0) {
    const gas = await chain.gasOf(left);
    if (gas !== null && gas <= maxGas) return { saleIds: left, gas };
    if (left.length > 1) left = left.slice(0, Math.ceil(left.length / 2));
    else return await longestFit(chain, saleIds.slice(1), maxGas);
  }
  return undefined;
}

function withMargin(gas: bigint, maxGas: bigint): bigint {
  const roomy = (gas * GAS_MARGIN_PERCENT) / 100n;
  return roomy < maxGas ? roomy : maxGas;
}
