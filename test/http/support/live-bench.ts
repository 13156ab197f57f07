import type { Address, Hex } from 'viem';
import { createPublicClient, custom } from 'viem';
import { type Fact, readEvent } from '../../../engine/core/events.ts';
import type { AppDeps } from '../../../engine/http/deps.ts';
import { startTestChain, type TestChain } from '../../support/chain.ts';
import { factsOfChain } from '../../support/facts.ts';
import { IndexerTable } from '../../support/indexer-table.ts';
import { ApiBench, CHAIN_ID } from './bench.ts';

/** A chain that is away: for `changes` of a client. */
export const away = createPublicClient({
  transport: custom(
    { request: () => Promise.reject(new Error('the chain is away')) },
    { retryCount: 0 },
  ),
});

/** The API over the ledger of a real chain. Nothing is settled until `sync` is called. */
export class LiveBench {
  private constructor(
    readonly chain: TestChain,
    readonly bench: ApiBench,
  ) {}

  static async open(changes: Partial<AppDeps> = {}): Promise<LiveBench> {
    const chain = await startTestChain();
    const deployment = {
      chainId: CHAIN_ID,
      genesisHash: chain.genesisHash,
      contractAddress: lower(chain.contract),
      startBlock: Number(chain.startBlock),
      explorerUrl: null,
    };
    const bench = await ApiBench.open({ client: chain.client, deployment, ...changes });
    return new LiveBench(chain, bench);
  }

  /** Lets the indexer have the chain’s events as they are now, reorgs included, and settles them. */
  async sync(): Promise<void> {
    const { bench } = this;
    await new IndexerTable(bench.pool, 'indexer_test').removeFrom(0);
    await bench.settle(await this.#facts());
  }

  async #facts(): Promise<Fact[]> {
    const rows = await factsOfChain(this.chain);
    return rows.map((row) => ({
      campaignId: row.campaign_id,
      id: row.id,
      blockNumber: Number(row.block_number),
      blockHash: lower(row.block_hash),
      timestamp: Number(row.block_timestamp),
      transactionHash: lower(row.transaction_hash),
      logIndex: row.log_index,
      ...readEvent(row.name, row.args),
    }));
  }

  async close(): Promise<void> {
    await this.bench.close();
    await this.chain.stop();
  }
}

/** As the ledger and sessions keep it. */
export function lower(hex: string | Address): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
