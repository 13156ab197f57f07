import { limits } from './limits.ts';
import { BackupError, isBackupName, manifestKey } from './manifest.ts';
import { isSealed, readManifest, type StoredManifest } from './open.ts';
import type { BackupStore } from './store.ts';
import { storedFiles, storedObjects } from './verify.ts';

/** Which backups to keep: one that either rule names stays, and so does the newest. */
export interface Keep {
  /** Number of the newest. */
  readonly newest: number | undefined;
  /** Those of the last days. */
  readonly days: number | undefined;
}

/** All complete backups of a target, oldest first, as they can be read without a key. */
export async function listBackups(store: BackupStore): Promise<StoredManifest[]> {
  const { complete } = await namesIn(store);
  const manifests: StoredManifest[] = [];
  for (const name of complete) manifests.push(await readManifest(store, name));
  return manifests;
}

/** The newest complete backup of a target; `undefined` if it has none. */
export async function newestBackup(store: BackupStore): Promise<StoredManifest | undefined> {
  const name = (await namesIn(store)).complete.at(-1);
  return name === undefined ? undefined : await readManifest(store, name);
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
  const stays = ({ name, createdAt }: StoredManifest, index: number) =>
    name === newest ||
    (count !== undefined && index >= all.length - count) ||
    (since !== undefined && Date.parse(createdAt) >= since);
  const remaining = all.filter(stays);
  const removed = all.filter((one) => !remaining.includes(one)).map(({ name }) => name);
  if (removed.length === 0) return [];
  const named = new Set<string>();
  for (const one of remaining) {
    const contents = isSealed(one)
      ? storedObjects(store, one)
      : storedFiles({ store, identities: undefined, manifest: one });
    for await (const { key } of contents) named.add(key);
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

/**
 * Keys of each backup of a target, and the names of the complete ones, oldest first. Other things in the target are ignored.
 * @throws {BackupError} if there are too many.
 */
async function namesIn(
  store: BackupStore,
): Promise<{ keys: ReadonlyMap<string, readonly string[]>; complete: readonly string[] }> {
  const keys = new Map<string, string[]>();
  let count = 0;
  for await (const key of store.list('backups')) {
    count += 1;
    if (count > limits.keys) {
      throw new BackupError(`${store.url}/backups has more than ${limits.keys} files.`);
    }
    const name = key.split('/')[1] ?? '';
    if (!isBackupName(name)) continue;
    const ofBackup = keys.get(name) ?? [];
    ofBackup.push(key);
    keys.set(name, ofBackup);
  }
  const complete = [...keys.keys()].filter((name) => keys.get(name)?.includes(manifestKey(name)));
  if (complete.length > limits.backups) {
    throw new BackupError(`${store.url} has more than ${limits.backups} backups.`);
  }
  return { keys, complete: complete.sort() };
}
