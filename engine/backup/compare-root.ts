import type { Chain } from '../chain/chain.ts';
import type { Keccak256 } from '../core/digest.ts';
import { type BlockRoot, rootWithout } from '../db/backup/dump.ts';
import type { Pool } from '../db/connection.ts';
import { isMixed, NotSettledError, readLedger } from '../db/read/snapshot.ts';

/** Result of comparing a restored ledger with the root of its backup. */
export type RootComparison =
  | { readonly result: 'equal' | 'differs'; readonly expected: BlockRoot; readonly found: string }
  /** The ledger is not settled up to the block. */
  | { readonly result: 'waiting'; readonly expected: BlockRoot; readonly settled: number | null }
  /** A campaign is stopped that was not when the backup was made. */
  | {
      readonly result: 'stopped';
      readonly expected: BlockRoot;
      readonly campaigns: readonly string[];
    }
  /** The chain has none of the blocks any more, or nothing was settled when the backup was made. */
  | { readonly result: 'no-block' };

/** Milliseconds for reading the digest of each campaign. */
const TIMEOUT_MS = 600_000;

/**
 * Compares the ledger with the root that a backup recorded: at its settled block, or at its finalized block if
 * the chain has replaced the settled one since.
 * @throws if the chain does not respond.
 */
export async function compareRoot(
  pool: Pool,
  chain: Pick<Chain, 'blockAt'>,
  keccak256: Keccak256,
  roots: readonly BlockRoot[],
): Promise<RootComparison> {
  const expected = await firstOnChain(chain, roots);
  if (expected === undefined) return { result: 'no-block' };
  const { block, leftOut } = expected;
  try {
    return await readLedger(pool, async ({ sql, head }) => {
      if (head.number < block.number || isMixed(head, block.number)) {
        return { result: 'waiting', expected, settled: head.number } as const;
      }
      const campaigns = head.stopped
        .map(({ campaignId }) => campaignId)
        .filter((id) => !leftOut.includes(id));
      if (campaigns.length > 0) return { result: 'stopped', expected, campaigns } as const;
      await sql`select set_config('statement_timeout', ${String(TIMEOUT_MS)}, true)`;
      const found = await rootWithout(sql, keccak256, block.number, leftOut);
      return { result: found === expected.root ? 'equal' : 'differs', expected, found } as const;
    });
  } catch (error) {
    if (error instanceof NotSettledError) return { result: 'waiting', expected, settled: null };
    throw error;
  }
}

async function firstOnChain(
  chain: Pick<Chain, 'blockAt'>,
  roots: readonly BlockRoot[],
): Promise<BlockRoot | undefined> {
  for (const root of roots) {
    const found = await chain.blockAt(root.block.number);
    if (found?.hash === root.block.hash) return root;
  }
  return undefined;
}
