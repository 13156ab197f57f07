import type { Identities } from './encryption.ts';
import { limits } from './limits.ts';
import {
  BackupError,
  ENCRYPTED,
  isBackupName,
  Manifest,
  manifestKey,
  type Part,
  PLAIN,
  parseAs,
  Sealed,
} from './manifest.ts';
import { atMost, existing, type PartSource, readPart } from './parts.ts';
import type { BackupStore } from './store.ts';

/** The description of a backup, or what an encrypted one says without its key. */
export type StoredManifest = Manifest | Sealed;

/** A backup that can be read: its description, and what opens its parts. */
export interface OpenBackup extends PartSource {
  readonly manifest: Manifest;
}

/** How a backup may be opened. */
export interface OpenOptions {
  /** `undefined` if the operator named none. */
  readonly identities: Identities | undefined;
  /** False if the operator expects encrypted backups: anyone who can write to the target can make one that is not. */
  readonly allowUnencrypted: boolean;
}

/** True for what an encrypted backup says without its key. */
export function isSealed(stored: StoredManifest): stored is Sealed {
  return 'description' in stored;
}

/**
 * Reads what a backup says without a key.
 * @throws {BackupError} if there is none, it is of a newer version, or says what no backup can say.
 */
export async function readManifest(store: BackupStore, name: string): Promise<StoredManifest> {
  const key = manifestKey(name);
  if (!isBackupName(name) || (await store.size(key)) === undefined) {
    throw new BackupError(`${store.url} has no complete backup ${name}.`);
  }
  const text = await readText(key, limits.manifestBytes, existing(store, key));
  const format = formatOf(text);
  if (typeof format === 'number' && format > ENCRYPTED) {
    throw new BackupError(`${name} was made by a newer version of Tributary: use that one.`);
  }
  const stored: StoredManifest =
    format === ENCRYPTED
      ? parseAs(Sealed, key, text, DESCRIPTION)
      : parseAs(Manifest, key, text, DESCRIPTION);
  if (stored.name === name) return stored;
  throw new BackupError(`${key} is not ${DESCRIPTION}: name: must be ${name}.`);
}

const DESCRIPTION = 'the description of a backup';

function formatOf(text: string): unknown {
  try {
    return (Object(JSON.parse(text)) as { format?: unknown }).format;
  } catch {
    return undefined;
  }
}

/**
 * Opens a backup.
 * @throws {BackupError} if it is encrypted and no identity opens it, or it is not encrypted and should be.
 */
export async function openBackup(
  store: BackupStore,
  stored: StoredManifest,
  { identities, allowUnencrypted }: OpenOptions,
): Promise<OpenBackup> {
  const { name } = stored;
  if (!isSealed(stored)) {
    if (stored.format !== PLAIN) throw new BackupError(`${manifestKey(name)} must be encrypted.`);
    if (allowUnencrypted) return { store, manifest: stored, identities: undefined };
    throw new BackupError(
      `${name} is not encrypted, and BACKUP_RECIPIENTS or BACKUP_IDENTITY_FILE is set: somebody else may have put it there. If it is yours, give --allow-unencrypted.`,
    );
  }
  if (identities === undefined) {
    throw new BackupError(
      `${name} is encrypted (for ${stored.recipients.join(', ')}): set BACKUP_IDENTITY_FILE to the file with the identity of one of these keys.`,
    );
  }
  const source = { store, identities };
  const { key } = stored.description;
  const text = await readText(key, limits.manifestBytes, readPart(source, stored.description));
  const manifest = parseAs(Manifest, key, text, DESCRIPTION);
  const inside = { ...manifest, parts: partsOf(manifest) };
  for (const field of ['format', 'name', 'version', 'createdAt', 'deployment', 'parts'] as const) {
    if (JSON.stringify(inside[field]) === JSON.stringify(stored[field])) continue;
    throw new BackupError(
      `${key} is not of this backup: ${field} differs from ${manifestKey(name)}.`,
    );
  }
  return { ...source, manifest };
}

/** All parts that a manifest names. */
export function partsOf({ tables, files }: Manifest): Part[] {
  return [...tables.flatMap(({ parts }) => parts), ...files.parts];
}

/** Text of a file of a target. */
async function readText(
  key: string,
  maxBytes: number,
  source: AsyncIterable<Uint8Array>,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of atMost(key, maxBytes, source)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
