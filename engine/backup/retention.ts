import { text } from 'node:stream/consumers';
import { BackupError, contentKey, FORMAT, Manifest, manifestKey, StoredFile } from './manifest.ts';
import { eachLine } from './parts.ts';
import type { BackupStore } from './store.ts';

/** Which backups to keep: one that either rule names stays, and so does the newest. */
export interface Keep {
  /** Number of the newest. */
  readonly newest: number | undefined;
  /** Those of the last days. */
  readonly days: number | undefined;
}

/** All complete backups of a target, oldest first. */
export async function listBackups(store: BackupStore): Promise<Manifest[]> {
  const { complete } = await namesIn(store);
  const manifests: Manifest[] = [];
  for (const name of complete) manifests.push(await readManifest(store, name));
  return manifests;
}

/**
 * The description of a backup.
 * @throws {BackupError} if there is none, or it is of a newer version.
 */
export async function readManifest(store: BackupStore, name: string): Promise<Manifest> {
  const key = manifestKey(name);
  if ((await store.size(key)) === undefined) {
    throw new BackupError(`${store.url} has no complete backup ${name}.`);
  }
  const json: unknown = await text(await store.read(key))
    .then(JSON.parse)
    .catch((error: unknown) => {
      throw new BackupError(`${key} cannot be read: it is damaged.`, { cause: error });
    });
  const { format } = Object(json) as { format?: unknown };
  if (typeof format === 'number' && format > FORMAT) {
    throw new BackupError(`${name} was made by a newer version of Tributary: use that one.`);
  }
  const parsed = Manifest.safeParse(json);
  if (!parsed.success || parsed.data.name !== name) {
    throw new BackupError(`${key} is not the description of this backup: it is damaged.`);
  }
  return parsed.data;
}

/** Removes what backups that did not finish have left. No other backup may be running. */
export async function removeIncomplete(store: BackupStore): Promise<void> {
  const { keys, complete } = await namesIn(store);
  for (const [name, ofBackup] of keys) {
    if (complete.includes(name)) continue;
    for (const key of ofBackup) await store.remove(key);
  }
}

/**
 * Removes backups that no rule names, and contents that no other backup names.
 * @param newest name of the backup that was just made and verified.
 * @returns the names of the removed backups.
 */
export async function prune(
  store: BackupStore,
  { newest: count, days }: Keep,
  newest: string,
): Promise<string[]> {
  const all = await listBackups(store);
  const since = days === undefined ? undefined : Date.now() - days * 86_400_000;
  const stays = ({ name, createdAt }: Manifest, index: number) =>
    name === newest ||
    (count !== undefined && index >= all.length - count) ||
    (since !== undefined && Date.parse(createdAt) >= since);
  const remaining = all.filter(stays);
  const removed = all.filter((one) => !remaining.includes(one)).map(({ name }) => name);
  if (removed.length === 0) return [];
  const named = new Set<string>();
  for (const { files } of remaining) {
    for await (const line of eachLine(store, files.parts)) {
      named.add(contentKey(StoredFile.parse(JSON.parse(line)).sha256));
    }
  }
  const { keys } = await namesIn(store);
  for (const name of removed) {
    // Without its manifest it is no backup any more.
    await store.remove(manifestKey(name));
    for (const key of keys.get(name) ?? []) await store.remove(key);
  }
  for await (const key of store.list('files')) if (!named.has(key)) await store.remove(key);
  return removed;
}

/** Keys of each backup of a target, and the names of the complete ones, oldest first. */
async function namesIn(
  store: BackupStore,
): Promise<{ keys: ReadonlyMap<string, readonly string[]>; complete: readonly string[] }> {
  const keys = new Map<string, string[]>();
  for await (const key of store.list('backups')) {
    const name = key.split('/')[1] ?? '';
    keys.set(name, [...(keys.get(name) ?? []), key]);
  }
  const complete = [...keys.keys()].filter((name) => keys.get(name)?.includes(manifestKey(name)));
  return { keys, complete: complete.sort() };
}
