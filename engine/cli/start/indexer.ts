import type { Pool } from '../../db/connection.ts';
import type { Deployment } from '../../db/deployment.ts';
import { setIndexerSchema } from '../../db/heads.ts';
import { GENERATION_CHANNEL, readGeneration } from '../../db/indexer-generation.ts';
import { listen } from '../../db/notify.ts';
import type { ChainEnv } from '../../env.ts';
import { VIEWS_SCHEMA } from '../connect.ts';
import { type Indexer, isPermanent, startIndexer } from '../stack/indexer.ts';
import { cacheSchemaOption, indexerBuildHash, indexerSchemaName } from '../stack/indexer-schema.ts';
import { projectRoot } from '../stack/processes.ts';
import { type Supervised, supervise } from '../stack/supervise.ts';

/** What `superviseIndexer` needs to know. */
export interface IndexerParts {
  readonly deployment: Deployment;
  readonly chain: ChainEnv;
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly pollingIntervalMs: number;
  readonly logFile: string;
  /** Receives a line when the indexer ends by itself, and when it runs again. */
  readonly log?: (line: string) => void;
}

/** Milliseconds between two looks at the generation, where no notice of a change came. */
const LOOK_MS = 5_000;

/**
 * Runs the indexer of the generation that the ledger is at, again whenever it ends, and changes over
 * when `tributary reindex` has made the next one.
 * @throws what the first start throws.
 */
export async function superviseIndexer(parts: IndexerParts): Promise<Supervised<Indexer>> {
  const { pool, logFile } = parts;
  let started = 0;
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
        ...cacheSchemaOption(started),
        databaseUrl: parts.databaseUrl,
        schema,
        viewsSchema: VIEWS_SCHEMA,
        pollingIntervalMs: parts.pollingIntervalMs,
        logFile,
      });
    },
  });

  const changeOver = async () => {
    const generation = await readGeneration(pool);
    // Its end is one that nobody asked for, to whom it is supervised by: it starts again.
    if (generation !== started) await indexer.current()?.stop();
  };
  let looking: Promise<void> = Promise.resolve();
  const look = () => {
    // A database that is away is looked at again; one look after the other, for each may stop it.
    looking = looking.then(changeOver).catch(() => {});
  };
  const unlisten = await listen(pool, GENERATION_CHANNEL, look).catch(async (error: unknown) => {
    await indexer.stop();
    throw error;
  });
  const timer = setInterval(look, LOOK_MS);
  return {
    ...indexer,
    stop: async () => {
      clearInterval(timer);
      await unlisten().catch(() => {});
      await looking;
      await indexer.stop();
    },
  };
}

/** The schema of a generation, as this build and these settings make it. */
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
