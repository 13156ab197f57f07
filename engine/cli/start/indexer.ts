import { RpcWatch } from '../../chain/rpc-watch.ts';
import type { Pool } from '../../db/connection.ts';
import type { Deployment } from '../../db/deployment.ts';
import { setIndexerSchema } from '../../db/heads.ts';
import { GENERATION_CHANNEL, readGeneration } from '../../db/indexer/generation.ts';
import { listen } from '../../db/notify.ts';
import type { ChainEnv } from '../../env.ts';
import { VIEWS_SCHEMA } from '../connect.ts';
import { rpcHealthReporter } from '../report-rpc-health.ts';
import { type Indexer, isPermanent, startIndexer } from '../stack/indexer.ts';
import { cacheSchemaOption, indexerBuildHash, indexerSchemaName } from '../stack/indexer-schema.ts';
import { projectRoot } from '../stack/processes.ts';
import { type Supervised, supervise } from '../stack/supervise.ts';

/** Input of `superviseIndexer`. */
export interface IndexerParts {
  readonly deployment: Deployment;
  readonly chain: ChainEnv;
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly pollingIntervalMs: number | undefined;
  /** File of the indexer's log; without it, `output` receives each line. */
  readonly logFile?: string;
  readonly output?: (line: string) => void;
  /** Receives a line when the indexer ends unexpectedly, and when it is running again. */
  readonly log?: (line: string) => void;
}

/** Milliseconds between two polls of the generation if no notification arrives. */
const POLL_MS = 5_000;

/**
 * Runs the indexer of the ledger's generation, restarts it whenever it ends, and switches to the next
 * generation after `tributary reindex`.
 * @throws the error of the first start.
 */
export async function superviseIndexer(parts: IndexerParts): Promise<Supervised<Indexer>> {
  const { pool, logFile, output } = parts;
  let started = 0;
  const rpcs = new RpcWatch();
  for (const [i, url] of [...new Set(parts.chain.rpcUrls)].entries()) rpcs.add(url, i + 1);
  const report = rpcHealthReporter({ pool, part: 'indexer', read: () => rpcs.health() });
  const indexer = await supervise({
    name: 'The indexer',
    ...(parts.log && { log: parts.log }),
    isPermanent,
    start: async () => {
      started = await readGeneration(pool);
      const schema = await schemaOf(parts, started);
      await setIndexerSchema(pool, schema, started);
      return await startIndexer({
        ...parts.chain,
        genesisHash: parts.deployment.genesisHash,
        ...cacheSchemaOption(started),
        databaseUrl: parts.databaseUrl,
        schema,
        viewsSchema: VIEWS_SCHEMA,
        pollingIntervalMs: parts.pollingIntervalMs,
        onRpcState: ({ place, state, until }) => rpcs.enter(place, state, until),
        ...(logFile !== undefined && { logFile }),
        ...(output && { log: output }),
        ...(parts.log && { warn: parts.log }),
      });
    },
  });

  const changeOver = async () => {
    const generation = await readGeneration(pool);
    // For the supervisor this end is unexpected, so it starts the next generation.
    if (generation !== started) await indexer.current()?.stop();
  };
  let polling: Promise<void> = Promise.resolve();
  const poll = () => {
    // One poll at a time, because each may stop the indexer. A failed poll is repeated by the timer.
    polling = polling.then(changeOver).catch(() => {});
  };
  const unlisten = await listen(pool, GENERATION_CHANNEL, poll).catch(async (error: unknown) => {
    await indexer.stop();
    throw error;
  });
  const timer = setInterval(() => {
    poll();
    // After the poll: together they would need two connections. Without the database it is written later.
    polling = polling
      .then(() => (indexer.current() === undefined ? undefined : report()))
      .catch(() => {});
  }, POLL_MS);
  return {
    ...indexer,
    stop: async () => {
      clearInterval(timer);
      await unlisten().catch(() => {});
      await polling;
      await indexer.stop();
    },
  };
}

/** Sentence for an indexer that no further start can help. */
export function indexerRefused(reason: string | undefined, where: string): string {
  const why = reason === undefined ? '' : ` (${reason.replace(/\.$/, '')})`;
  return `The indexer cannot run with this configuration${why}: see ${where}.`;
}

/** Schema of a generation for this build and these settings. */
export async function schemaOf(
  { deployment, chain }: Pick<IndexerParts, 'deployment' | 'chain'>,
  generation: number,
): Promise<string> {
  return indexerSchemaName({
    ...deployment,
    startBlock: chain.startBlock,
    buildHash: await indexerBuildHash(projectRoot),
    generation,
  });
}
