import { countOf } from '../core/count-of.ts';
import { BackupError, contentKey, type Manifest, StoredFile } from './manifest.ts';
import { checkPart, countLines, eachLine } from './parts.ts';
import type { BackupStore } from './store.ts';

/**
 * Reads all parts of a backup again, and compares every hash and the number of rows of every table.
 * @param options.contents true to also read the content of each stored file; otherwise only its size is compared.
 * @throws {BackupError} naming the first part that is missing or damaged.
 */
export async function verifyManifest(
  store: BackupStore,
  { tables, files }: Manifest,
  { contents }: { readonly contents: boolean },
): Promise<void> {
  for (const { name, rows, parts } of tables) {
    for (const part of parts) await checkPart(store, part);
    const found = await countLines(store, parts);
    if (found !== rows)
      throw new BackupError(`${name} has ${countOf(found, 'row')} instead of ${rows}.`);
  }
  for (const part of files.parts) await checkPart(store, part);
  let count = 0;
  const read = new Set<string>();
  for await (const file of storedFiles(store, files)) {
    count += 1;
    const key = contentKey(file.sha256);
    if (file.missing || read.has(key)) continue;
    read.add(key);
    if (contents) await checkPart(store, { ...file, key });
    else if ((await store.size(key)) !== file.size) throw new BackupError(`${key} is damaged.`);
  }
  if (count !== files.count) {
    throw new BackupError(`The list of files has ${count} instead of ${files.count}.`);
  }
}

/** The files that a backup holds. */
export async function* storedFiles(
  store: BackupStore,
  { parts }: Manifest['files'],
): AsyncGenerator<StoredFile> {
  for await (const line of eachLine(store, parts)) yield StoredFile.parse(JSON.parse(line));
}
