import type { Pool } from '../../db/connection.ts';
import { readHeads } from '../../db/heads.ts';
import {
  dropIndexerSchema,
  indexerProcess,
  indexerSchemas,
  readGeneration,
} from '../../db/indexer/generation.ts';
import { indexerTablesExist } from '../../db/indexer/head.ts';
import { cacheSchemaName } from '../stack/indexer-schema.ts';
import { ReindexError } from './options.ts';

/**
 * Drops the schemas of all indexers but the one that settlement reads, and their caches.
 * @returns what was dropped.
 * @throws {ReindexError} where a process still writes one of them; nothing is dropped then.
 */
export async function dropOld(pool: Pool): Promise<readonly string[]> {
  const heads = await readHeads(pool);
  if (heads === undefined) return [];
  const cache = cacheSchemaName(await readGeneration(pool));
  const old = (await indexerSchemas(pool)).filter(
    (schema) => schema !== heads.indexerSchema && schema !== cache,
  );
  for (const schema of old) {
    if (!(await indexerTablesExist(pool, schema))) continue;
    const { running } = await indexerProcess(pool, schema);
    if (running) throw new ReindexError(`An indexer still runs in ${schema}: stop it first.`);
  }
  for (const schema of old) await dropIndexerSchema(pool, schema);
  return old;
}
