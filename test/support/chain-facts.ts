import { type Fact, type Hex, readEvent } from '../../engine/core/events.ts';
import type { TestChain } from './chain.ts';
import { factsOfChain } from './facts.ts';

/** Every event of a test's contract, as settlement reads it. */
export async function chainFacts(chain: TestChain): Promise<Fact[]> {
  const rows = await factsOfChain(chain);
  return rows.map((row) => ({
    campaignId: row.campaign_id,
    id: row.id,
    blockNumber: Number(row.block_number),
    blockHash: row.block_hash as Hex,
    timestamp: Number(row.block_timestamp),
    transactionHash: row.transaction_hash as Hex,
    logIndex: row.log_index,
    ...readEvent(row.name, row.args),
  }));
}
