#!/usr/bin/env node
// The `tributary` command: compiles engine/cli/main.ts if necessary, and runs it.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../engine/cli/main.ts', import.meta.url);

if (!existsSync(fileURLToPath(main))) {
  fail('engine/cli/main.ts is missing: this clone of Tributary is not whole.');
}
process.setSourceMapsEnabled(true);
await import((await compiled()).href);

async function compiled() {
  const { compiledCommand, isReadOnly } = await import('./compile.mjs');
  try {
    return await compiledCommand();
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
