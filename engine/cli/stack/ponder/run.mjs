// Runs Ponder as `compile.mjs` makes it: with our changes, and in a few files.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReadOnly } from '../../../../scripts/compile.mjs';
import { guardedFetch, withoutCredentials } from './chain-guard.mjs';
import { compiledPonder } from './compile.mjs';

const rpcs = withoutCredentials(process.env.RPC_URL.split(','));
// `ponder.config.ts` reads it.
process.env.RPC_URL = rpcs.urls.join(',');
globalThis.fetch = guardedFetch(fetch, { chainId: Number(process.env.CHAIN_ID), ...rpcs });

const cacheSchema = process.env.PONDER_CACHE_SCHEMA;
const main = await compiledPonder({ cacheSchema }).catch(async (error) => {
  // A read-only installation: it is compiled at each start.
  if (!isReadOnly(error)) throw error;
  const folder = mkdtempSync(join(tmpdir(), 'tributary-ponder-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return await compiledPonder({ cacheSchema, folder });
});
await import(main.href);
