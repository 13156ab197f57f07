import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DEFAULT_CACHE_SCHEMA } from './patch.mjs';

/** Folder of Ponder in the npm package (`scripts/packages/command.ts`), compiled with the default schema of its cache. */
const packed = fileURLToPath(new URL('../../../../compiled/ponder', import.meta.url));

const MAIN = 'main.mjs';

/** True in the npm package, which is installed without Ponder. */
export function isPacked() {
  return existsSync(join(packed, MAIN));
}

/**
 * The packed Ponder with a schema of its RPC cache, whose name is in its code: a copy, unless it is the default.
 * @param folder where copies are.
 * @returns the URL to import.
 * @throws {Error} with the code of the file system if the folder cannot be written.
 */
export async function packedPonder(cacheSchema, folder) {
  if (cacheSchema === DEFAULT_CACHE_SCHEMA) return pathToFileURL(join(packed, MAIN));
  const hash = createHash('sha256').update(readFileSync(join(packed, MAIN)));
  const path = join(folder, `${cacheSchema}-${hash.digest('hex').slice(0, 16)}`);
  if (!existsSync(path)) await copyTo(path, folder, cacheSchema);
  return pathToFileURL(join(path, MAIN));
}

async function copyTo(path, folder, cacheSchema) {
  mkdirSync(folder, { recursive: true });
  const draft = await mkdtemp(join(folder, 'draft-'));
  for (const name of readdirSync(packed).filter((file) => file.endsWith('.mjs'))) {
    const file = join(packed, name);
    // Files next to it stay where they are.
    const place = JSON.stringify(pathToFileURL(file).href);
    const text = readFileSync(file, 'utf8')
      .replace(/\bponder_sync\b/g, cacheSchema)
      .replaceAll('import.meta.url', place);
    await writeFile(join(draft, name), text);
  }
  // Another process may have made the same copy meanwhile.
  await rename(draft, path).catch((error) => {
    rmSync(draft, { recursive: true });
    if (!existsSync(path)) throw error;
  });
}
