import { readFileSync } from 'node:fs';

const file = new URL('../package.json', import.meta.url);

/** Version of Tributary. `package.json` is the only file that has it. */
export const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
