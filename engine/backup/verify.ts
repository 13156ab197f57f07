import { countOf } from '../core/count-of.ts';
import {
  BackupError,
  contentKey,
  ENCRYPTED,
  objectKey,
  parseAs,
  type Sealed,
  StoredFile,
  StoredObject,
} from './manifest.ts';
import type { OpenBackup } from './open.ts';
import { checkPart, countLines, eachLine, readContent } from './parts.ts';
import type { BackupStore } from './store.ts';

/**
 * Reads all parts of a backup again, and compares every hash and the number of rows of every table.
 * @param options.contents true to also read the content of each stored file; otherwise only its size is compared.
 * @throws {BackupError} naming the first part that is missing or damaged.
 */
export async function verifyManifest(
  backup: OpenBackup,
  { contents }: { readonly contents: boolean },
): Promise<void> {
  const { store, manifest } = backup;
  for (const { name, rows, parts } of manifest.tables) {
    for (const part of parts) await checkPart(store, part);
    const found = await countLines(backup, parts, rows);
    if (found !== rows)
      throw new BackupError(`${name} has ${countOf(found, 'row')} instead of ${rows}.`);
  }
  for (const part of manifest.files.parts) await checkPart(store, part);
  const read = new Set<string>();
  for await (const { key, file } of storedFiles(backup)) {
    if (file.missing || read.has(key)) continue;
    read.add(key);
    if (contents) for await (const _ of readContent(backup, { key, file }));
    else if ((await store.size(key)) !== file.size) throw new BackupError(`${key} is damaged.`);
  }
}

/**
 * Compares the stored bytes of an encrypted backup, without its key.
 * @throws {BackupError} naming the first part that is missing or damaged.
 */
export async function verifySealed(store: BackupStore, sealed: Sealed): Promise<void> {
  for (const part of [sealed.description, ...sealed.parts, ...sealed.contents.parts]) {
    await checkPart(store, part);
  }
  let count = 0;
  for await (const { key, size } of storedObjects(store, sealed)) {
    count += 1;
    const found = await store.size(key);
    if (found === undefined) throw new BackupError(`${key} is missing.`);
    if (found !== size) throw new BackupError(`${key} has ${found} bytes instead of ${size}.`);
  }
  requireTotals(sealed.contents.parts[0]?.key ?? '', { count }, sealed.contents);
}

/** The objects in `files/` that an encrypted backup needs. */
export async function* storedObjects(
  store: BackupStore,
  { contents }: Sealed,
): AsyncGenerator<{ readonly key: string; readonly size: number }> {
  const source = { store, identities: undefined };
  for await (const line of eachLine(source, contents.parts, contents.count)) {
    const { object, size } = parseAs(StoredObject, contents.parts[0]?.key ?? '', line, OBJECTS);
    yield { key: objectKey(object), size };
  }
}

const OBJECTS = 'a list of contents';

/** A file that a backup holds, and where its content is in the target. */
export interface FoundFile {
  readonly key: string;
  readonly file: StoredFile;
}

/**
 * The files that a backup holds.
 * @throws {BackupError} if a line is wrong, or the list has others than the manifest says.
 */
export async function* storedFiles(backup: OpenBackup): AsyncGenerator<FoundFile> {
  const { format, files } = backup.manifest;
  const list = files.parts[0]?.key ?? '';
  const keys = new Set<string>();
  const totals = { count: 0, bytes: 0, missing: 0 };
  for await (const line of eachLine(backup, files.parts, files.count)) {
    const file = parseAs(StoredFile, list, line, FILES);
    const { key, size, sha256, missing, object } = file;
    if (keys.has(key)) throw new BackupError(`${list} is not ${FILES}: ${key} is there twice.`);
    if ((object !== undefined) !== (format === ENCRYPTED && !missing)) {
      throw new BackupError(`${list} is not ${FILES}: object: must be there if it is encrypted.`);
    }
    keys.add(key);
    totals.count += 1;
    totals.bytes += missing ? 0 : size;
    totals.missing += missing ? 1 : 0;
    yield { key: object === undefined ? contentKey(sha256) : objectKey(object), file };
  }
  requireTotals(list, totals, files);
}

function requireTotals<F extends string>(
  list: string,
  found: Readonly<Record<F, number>>,
  expected: Readonly<Record<NoInfer<F>, number>>,
): void {
  for (const field of Object.keys(found) as F[]) {
    if (found[field] === expected[field]) continue;
    throw new BackupError(
      `${list}: ${field} is ${found[field]}, and the manifest says ${expected[field]}.`,
    );
  }
}

const FILES = 'a list of files';
