// Runs Ponder as `compile.mjs` makes it: with our changes, and in a few files.
import { mkdtempSync, rmSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endCompiler, isReadOnly } from '../../compile.mjs';
import { releaseMemoryAtRest } from '../../memory.mjs';
import { guardedFetch, withoutCredentials } from './chain-guard.mjs';
import { compiledPonder } from './compile.mjs';
import { OtherPonderError } from './patch.mjs';
import { rpcStates } from './rpc-states.mjs';

/** Exit code after which the supervisor starts no other (`../indexer-end.ts`). */
const REFUSED_EXIT = 78;

const { RPC_URL, CHAIN_ID, START_BLOCK, GENESIS_HASH } = process.env;
// An installation compiles Ponder beforehand by `--version`, without a chain.
if (RPC_URL) {
  const rpcs = withoutCredentials(RPC_URL.split(','));
  // `ponder.config.ts` reads it.
  process.env.RPC_URL = rpcs.urls.join(',');
  const numbers = { chainId: Number(CHAIN_ID), startBlock: Number(START_BLOCK) };
  const chain = { ...numbers, genesisHash: GENESIS_HASH };
  globalThis.fetch = guardedFetch(fetch, { ...chain, ...rpcs }, rpcStates(logState));
}

const cacheSchema = process.env.PONDER_CACHE_SCHEMA;
releaseMemoryAtRest();
try {
  const main = await compiledOnce()
    .catch(async (error) => {
      // A read-only installation: it is compiled at each start.
      if (!isReadOnly(error)) throw error;
      const folder = mkdtempSync(join(tmpdir(), 'tributary-ponder-'));
      process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
      return await compiledPonder({ cacheSchema, folder });
    })
    .finally(endCompiler);
  await import(main.href);
} catch (error) {
  if (!isOfOtherPonder(error)) throw error;
  // As Ponder logs with `--log-format json`.
  // biome-ignore lint/suspicious/noConsole: the parent process makes each line of its children plain.
  console.log(JSON.stringify({ level: 60, time: Date.now(), msg: messageOf(error) }));
  process.exitCode = REFUSED_EXIT;
}

async function compiledOnce() {
  const main = await compiledPonder({ cacheSchema });
  // Of what V8 has parsed, next to it.
  module.enableCompileCache(fileURLToPath(new URL('v8', main)));
  return main;
}

/** Logs as Ponder does; `../indexer.ts` reads it. */
function logState({ place, state, until }) {
  const level = state === 'ok' ? 30 : 40;
  const msg = `RPC ${place} of RPC_URL: ${state}`;
  // biome-ignore lint/suspicious/noConsole: as below.
  console.log(JSON.stringify({ level, time: Date.now(), msg, rpc_state: { place, state, until } }));
}

/** True if the installed Ponder is not the one that the patch is for; esbuild wraps the error. */
function isOfOtherPonder(error) {
  return [error, ...(error.errors ?? []).map(({ detail }) => detail)].some(
    (one) => one instanceof OtherPonderError,
  );
}

function messageOf(error) {
  const [first] = error.errors ?? [];
  return (first?.detail ?? error).message;
}
