#!/usr/bin/env node
// The `tributary` command. The npm package has it compiled; a clone compiles engine/cli/main.ts if necessary.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { isSupported, PINNED_NODE, SUPPORTED_NODE } from './node-version.mjs';

const packed = new URL('../compiled/main.js', import.meta.url);
const main = new URL('../engine/cli/main.ts', import.meta.url);

const isPacked = existsSync(fileURLToPath(packed));

if (!isSupported(process.versions.node)) {
  const way = isPacked ? '' : `; \`npm run tributary\` fetches Node ${PINNED_NODE}`;
  fail(`Tributary needs ${SUPPORTED_NODE}, and this is ${process.versions.node}${way}.`);
}
process.setSourceMapsEnabled(true);
const { releaseMemoryAtRest } = await import('../engine/cli/memory.mjs');
releaseMemoryAtRest();
await import((isPacked ? packed : await compiled()).href);

async function compiled() {
  if (!existsSync(fileURLToPath(main))) {
    fail('engine/cli/main.ts is missing: this clone of Tributary is not whole.');
  }
  const { compiledCommand, endCompiler, isReadOnly } = await import('../engine/cli/compile.mjs');
  try {
    const command = await compiledCommand().finally(endCompiler);
    // Of what V8 has parsed, next to it: a fifth of the time of a start.
    module.enableCompileCache(fileURLToPath(new URL('v8', command)));
    return command;
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') {
      fail('Nothing is installed yet: run `npm start`, or `node scripts/install.mjs`, first.');
    }
    // A read-only installation: slower, but with the same result.
    if (!isReadOnly(error)) throw error;
    const { register } = await import('tsx/esm/api');
    register();
    return main;
  }
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
