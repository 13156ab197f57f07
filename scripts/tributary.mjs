#!/usr/bin/env node
// The `tributary` command. The npm package has it compiled; a clone compiles engine/cli/main.ts if necessary.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const packed = new URL('../compiled/main.js', import.meta.url);
const main = new URL('../engine/cli/main.ts', import.meta.url);

process.setSourceMapsEnabled(true);
await import((existsSync(fileURLToPath(packed)) ? packed : await compiled()).href);

async function compiled() {
  if (!existsSync(fileURLToPath(main))) {
    fail('engine/cli/main.ts is missing: this clone of Tributary is not whole.');
  }
  const { compiledCommand, isReadOnly } = await import('./compile.mjs');
  try {
    const command = await compiledCommand();
    // Of what V8 has parsed, next to it: a fifth of the time of a start. Node 20 has none.
    module.enableCompileCache?.(fileURLToPath(new URL('v8', command)));
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
