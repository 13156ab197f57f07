import type { IndexerHead } from '../db/indexer-head.ts';
import type { Cursor } from '../db/write/cursor.ts';
import type { Chain } from './chain.ts';

/** How long a finalized fact may be missing from a ready indexer before its campaign is stopped. */
export const FINALIZED_GRACE_MS = 10_000;

/**
 * What it means that the fact at a cursor is not in the indexer's table (design §5, Reorgs):
 * `gone` the chain replaced it; `vanished` it was finalized, so no reorg can have taken it;
 * `wait` neither is sure: while the indexer recovers from a crash it takes rows away and brings
 * them back.
 */
export async function judgeMissing(
  chain: Chain,
  cursor: Pick<Cursor, 'at'>,
  indexer: IndexerHead,
): Promise<'gone' | 'wait' | 'vanished'> {
  const { at } = cursor;
  if (at === null || !indexer.ready || indexer.blockNumber === null) return 'wait';
  if (at.blockNumber <= (indexer.finalizedNumber ?? -1)) return 'vanished';
  if (indexer.blockNumber >= at.blockNumber) {
    // Numbers, not checkpoints: those sort by time.
    const now = await chain.blockAt(at.blockNumber);
    return now !== null && now.hash !== at.blockHash ? 'gone' : 'wait';
  }
  const head = await chain.head();
  return head.number < at.blockNumber ? 'gone' : 'wait';
}
