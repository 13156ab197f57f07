import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/*
 * Ponder keeps what its RPC answered in a schema that it names in its code, `ponder_sync`, and that
 * all indexers of a database share. Loaded before Ponder (`--import`), this gives it the schema of
 * PONDER_CACHE_SCHEMA instead, so that a reindex takes no answer over from the indexer that runs
 * (docs/reliability.md, «Reindex»). `tributary reindex` holds against the database that it worked.
 */

const OWN_CODE = '/node_modules/ponder/dist/esm/';

if (isMainThread && process.env.PONDER_CACHE_SCHEMA !== undefined) register(import.meta.url);

/** A hook of Node's loader, which runs this file once more in a thread of its own. */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const name = process.env.PONDER_CACHE_SCHEMA;
  if (name === undefined || !url.includes(OWN_CODE) || loaded.source == null) return loaded;
  // Whole words alone: its metrics are called ponder_sync_block and the like.
  const source = Buffer.from(loaded.source)
    .toString('utf8')
    .replace(/\bponder_sync\b/g, name);
  return { ...loaded, source };
}
