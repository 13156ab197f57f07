import { createPublicClient, custom } from 'viem';
import type { AppDeps } from '../../../engine/http/deps.ts';
import { startTestChain, type TestChain } from '../../support/chain.ts';
import { factsFrom, factsOfChain, lower } from '../../support/facts.ts';
import { IndexerTable } from '../../support/indexer-table.ts';
import { ApiFixture, CHAIN_ID } from './api-fixture.ts';

/** A chain that is away: for `changes` of a client. */
export const away = createPublicClient({
  transport: custom(
    { request: () => Promise.reject(new Error('the chain is away')) },
    { retryCount: 0 },
  ),
});

/** The API over the ledger of a real chain. Nothing is settled until `sync` is called. */
export class LiveFixture {
  private constructor(
    readonly chain: TestChain,
    readonly fixture: ApiFixture,
  ) {}

  static async open(changes: Partial<AppDeps> = {}): Promise<LiveFixture> {
    const chain = await startTestChain();
    const deployment = {
      chainId: CHAIN_ID,
      genesisHash: chain.genesisHash,
      contractAddress: lower(chain.contract),
      startBlock: Number(chain.startBlock),
      explorerUrl: null,
    };
    const fixture = await ApiFixture.open({ client: chain.client, deployment, ...changes });
    return new LiveFixture(chain, fixture);
  }

  /** Lets the indexer have the chain’s events as they are now, reorgs included, and settles them. */
  async sync(): Promise<void> {
    const { fixture } = this;
    await new IndexerTable(fixture.pool, 'indexer_test').removeFrom(0);
    await fixture.settle(factsFrom(await factsOfChain(this.chain)));
  }

  /** The same, and settles up to the newest block, so that its time is the clock. */
  async syncToHead(): Promise<void> {
    await this.sync();
    const { number, hash, timestamp } = await this.chain.client.getBlock();
    await this.fixture.pool`
      update ledger.head set settled_number = ${String(number)}, settled_hash = ${hash},
        settled_timestamp = ${String(timestamp)}`;
  }

  async close(): Promise<void> {
    await this.fixture.close();
    await this.chain.stop();
  }
}
