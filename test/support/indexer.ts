import { join } from 'node:path';
import { type Indexer, type IndexerOptions, startIndexer } from '../../engine/cli/stack/indexer.ts';
import { indexerBuildHash, indexerSchemaName } from '../../engine/cli/stack/indexer-schema.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import type { TestChain } from './chain.ts';

/** The schema that an indexer of this build writes for a test's chain. */
export async function testIndexerSchema(chain: TestChain): Promise<string> {
  return indexerSchemaName({
    genesisHash: chain.genesisHash,
    contractAddress: chain.contract,
    startBlock: Number(chain.startBlock),
    buildHash: await indexerBuildHash(projectRoot),
  });
}

/** Starts the real indexer over a test's chain. Await `ready()` where the test needs it. */
export async function startTestIndexer(
  chain: TestChain,
  databaseUrl: string,
  changes: Partial<IndexerOptions> = {},
): Promise<Indexer> {
  return startIndexer({
    databaseUrl,
    schema: await testIndexerSchema(chain),
    rpcUrls: [chain.anvil.url],
    chainId: chain.chainId,
    contractAddress: chain.contract,
    startBlock: Number(chain.startBlock),
    pollingIntervalMs: 100,
    logFile: join(chain.dir, 'indexer.log'),
    ...changes,
  });
}
