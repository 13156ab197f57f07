#!/usr/bin/env node
// The `tributary` command: loads TypeScript through tsx, and hands over to engine/cli/main.ts.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../engine/cli/main.ts', import.meta.url);

if (!existsSync(fileURLToPath(main))) {
  console.error('engine/cli/main.ts is missing: this clone of Tributary is not whole.');
  process.exit(1);
}
const tsx = await import('tsx/esm/api').catch(() => undefined);
if (tsx === undefined) {
  console.error('Nothing is installed yet: run `npm start`, or `node scripts/install.mjs`, first.');
  process.exit(1);
}
tsx.register();
await import(main.href);
