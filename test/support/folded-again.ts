import type { Pool } from '../../engine/db/connection.ts';
import type { TestChain } from './chain.ts';
import { chainFacts } from './chain-facts.ts';
import { createTestDatabase } from './database.ts';
import { differences, dumpLedger } from './ledger.ts';
import { SettleFixture } from './settle-fixture.ts';

/** Differences of a settled ledger from the chain's own logs, folded once: none, whatever a reorg replaced. */
export async function differencesFromChain(chain: TestChain, pool: Pool) {
  const database = await createTestDatabase();
  const fixture = await SettleFixture.open(database.url, chain.chainId);
  try {
    const head = await chain.client.getBlock();
    const [number, timestamp] = [Number(head.number), Number(head.timestamp)];
    await fixture.index(await chainFacts(chain));
    await fixture.table.setHead({ number, timestamp });
    fixture.chain.setHead(number, timestamp, head.hash);
    await fixture.settle();
    return differences(await dumpLedger(pool), await dumpLedger(fixture.pool));
  } finally {
    await fixture.pool.end();
    await database.drop();
  }
}
