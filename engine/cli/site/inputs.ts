import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** Files and folders that the site is built from, relative to the project's root. */
const INPUTS = [
  'package-lock.json',
  'web',
  'engine/client',
  'engine/contract',
  'engine/core',
  'engine/verify',
  'abis',
];

/** Files in these folders that are not inputs: the built site, and tests. */
const LEFT_OUT = /^web\/dist|[.]test[.]tsx?$/;

/**
 * SHA-256 over the names and contents of the site's inputs, in hex.
 * @param root the project's root folder.
 */
export async function hashSiteInputs(root: string): Promise<string> {
  const lists = await Promise.all(INPUTS.map((input) => filesUnder(root, input)));
  const files = lists.flat().filter((file) => !LEFT_OUT.test(file));
  const contents = await Promise.all(files.map((file) => readFile(join(root, file))));
  const hash = createHash('sha256');
  for (const [i, file] of files.entries()) {
    const content = contents[i] ?? Buffer.alloc(0);
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** The files of a folder, or the file itself, by their paths from the root, sorted. */
async function filesUnder(root: string, input: string): Promise<string[]> {
  if (/[.]json$/.test(input)) return [input];
  const entries = await readdir(join(root, input), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).split(sep).join('/'))
    .map((path) => path.replace(/^\/+/, ''))
    .sort();
}
