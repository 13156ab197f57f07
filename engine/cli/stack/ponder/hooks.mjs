import { createHash } from 'node:crypto';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/*
 * What is changed in Ponder's own modules while Node loads them (`--import`), and nowhere else:
 *
 * - The schema in which it keeps what its RPC answered is named in its code, `ponder_sync`, and all
 *   indexers of a database share it. It becomes that of PONDER_CACHE_SCHEMA where that is set, so
 *   that a reindex takes no answer over from the indexer that runs (docs/reliability.md, «Reindex»).
 * - Rows of that cache are written many at a time (`sync-rows.mjs`; docs/performance.md, «Catch-up»).
 * - What is looked for in blooms is hashed once (`bloom.mjs`; docs/performance.md, «Freshness»).
 * - A request for a block that a reorg has replaced is not repeated (`replaced-block.mjs`;
 *   docs/reliability.md, "Faults").
 *
 * None changes what is indexed. A module that is changed is known by its hash: another Ponder
 * than the pinned one ends with a sentence, and is not run with changes that were not meant for it.
 */

const OWN_CODE = '/node_modules/ponder/dist/esm/';

/** The end of a module's URL, what it must hash to, and its new source. */
const CHANGES = {
  'sync-store/index.js': {
    sha256: '4d53d9efea2a09a8774010e93b1a5c4e6008d88a2f3c7ed440beb702ea9d2a88',
    change: (source) =>
      `import { withManyRowsAtOnce } from '${new URL('./sync-rows.mjs', import.meta.url).href}';\n` +
      "import * as encoders from './encode.js';\n" +
      'export const createSyncStore = (options) =>\n' +
      '  withManyRowsAtOnce(createSyncStoreOfPonder(options),\n' +
      '    { qb: options.qb, sql, schema: PONDER_SYNC.PONDER_SYNC_SCHEMA, encoders });\n' +
      source.replace('export const createSyncStore =', 'const createSyncStoreOfPonder ='),
  },
  'sync-realtime/bloom.js': {
    sha256: 'ccfded72ea7be70f879125dc7c70786ac60e62deb9b22bf0843a64140ff88c8f',
    change: (source) =>
      `import { bloomTest } from '${new URL('./bloom.mjs', import.meta.url).href}';\n` +
      source.replace(
        'export const isInBloom =',
        'export const isInBloom = bloomTest(keccak256);\nconst isInBloomOfPonder =',
      ),
  },
  // Tells the next module the height of the block whose logs are asked for by hash.
  'sync-realtime/index.js': {
    sha256: 'a02bf50ae4d2aece462bae79f3878ed2627384972358bd2114631d632293e9cc',
    change: (source) =>
      source.replace(
        'logger: args.common.logger.child({ action: "fetch_block_data" }),',
        '$& blockNumber: maybeBlockHeader.number,',
      ),
  },
  'rpc/index.js': {
    sha256: '8bfbaab384bd43ecf4cd85c33aa1a578902a18e3dedd3ea3c0900b412154c8d9',
    change: (source) =>
      `import { isOfReplacedBlock } from '${new URL('./replaced-block.mjs', import.meta.url).href}';\n` +
      source.replace(
        'const duration = BASE_DURATION * 2 ** i;',
        'if (await isOfReplacedBlock(bucket.request, body, context?.blockNumber)) throw error;\n$&',
      ),
  },
};

if (isMainThread) register(import.meta.url);

/** A hook of Node's loader, which runs this file once more in a thread of its own. */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const at = url.indexOf(OWN_CODE);
  if (at < 0 || loaded.source == null) return loaded;
  const own = Buffer.from(loaded.source).toString('utf8');
  const source = inOtherSchema(changed(url.slice(at + OWN_CODE.length), own));
  return { ...loaded, source };
}

function changed(path, source) {
  const found = CHANGES[path];
  if (found === undefined) return source;
  const sha256 = createHash('sha256').update(source).digest('hex');
  if (sha256 === found.sha256) return found.change(source);
  throw new Error(
    `Ponder's ${path} is not the one that engine/cli/stack/ponder/hooks.mjs was written for ` +
      `(sha256 ${sha256}): install the pinned version, or look at both and write down the new hash.`,
  );
}

function inOtherSchema(source) {
  const name = process.env.PONDER_CACHE_SCHEMA;
  if (name === undefined) return source;
  // Whole words alone: its metrics are called ponder_sync_block and the like.
  return source.replace(/\bponder_sync\b/g, name);
}
