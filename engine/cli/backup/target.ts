import { resolve } from 'node:path';
import { Identities } from '../../backup/encryption.ts';
import { BackupError } from '../../backup/manifest.ts';
import {
  type OpenBackup,
  openBackup,
  readManifest,
  type StoredManifest,
} from '../../backup/open.ts';
import { newestBackup } from '../../backup/retention.ts';
import { type BackupStore, BucketStore, FolderStore } from '../../backup/store.ts';
import type { Env } from '../../env.ts';
import { openBucket } from '../bucket.ts';
import { CommandError } from '../exit-codes.ts';

/**
 * Opens the place of backups that the command line names.
 * @param target a folder, or `s3://bucket/prefix`.
 * @throws {CommandError} if it is a bucket and its credentials are not set.
 */
export function openTarget(env: Pick<Env, 'backup' | 'storage'>, target: string): BackupStore {
  const [, bucket, path = ''] = /^s3:\/\/([^/]+)(\/.*)?$/.exec(target) ?? [];
  if (bucket === undefined) {
    if (/^[a-z0-9]+:\/\//i.test(target)) {
      throw new CommandError(`${target} is neither a folder nor s3://bucket/prefix.`);
    }
    return new FolderStore(resolve(target));
  }
  const accessKeyId = env.backup.accessKeyId ?? env.storage?.accessKeyId;
  const secretAccessKey = env.backup.secretAccessKey ?? env.storage?.secretAccessKey;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new CommandError(
      `Set BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY: ${target} is a bucket.`,
    );
  }
  const region = env.backup.region ?? env.storage?.region ?? 'us-east-1';
  const endpoint = env.backup.endpoint ?? env.storage?.endpoint;
  const disk = openBucket({ bucket, region, endpoint, accessKeyId, secretAccessKey });
  return new BucketStore(target, disk, path.replace(/^\/+|\/+$/g, ''));
}

/** A backup that the command line names, as it can be read without a key. */
export interface FoundBackup {
  readonly store: BackupStore;
  readonly stored: StoredManifest;
}

/**
 * Finds a backup.
 * @param reference `<target>/backups/<name>`, or a target, whose newest backup is meant.
 * @throws {CommandError} if there is none.
 */
export async function findBackup(
  env: Pick<Env, 'backup' | 'storage'>,
  reference: string,
): Promise<FoundBackup> {
  const [, target = reference, name] =
    /^(.*?)\/backups\/([^/]+)(?:\/(?:manifest[.]json)?)?$/.exec(reference) ?? [];
  const store = openTarget(env, target);
  return await explained(async () => {
    const stored = name === undefined ? await newestBackup(store) : await readManifest(store, name);
    if (stored === undefined) throw new BackupError(`${store.url} has no complete backup.`);
    return { store, stored };
  });
}

/** The private keys that `BACKUP_IDENTITY_FILE` names. @throws {CommandError} if it cannot be used. */
async function openIdentities({ backup }: Pick<Env, 'backup'>) {
  const { identityFile } = backup;
  if (identityFile === undefined) return undefined;
  return await explained(() => Identities.read(identityFile));
}

/**
 * Opens a backup that was found.
 * @throws {CommandError} if it is encrypted and no identity opens it, or it is not encrypted and the variables say that
 * backups are.
 */
export async function openFound(
  env: Pick<Env, 'backup'>,
  { store, stored }: FoundBackup,
  { allowUnencrypted }: { readonly allowUnencrypted?: boolean },
): Promise<OpenBackup> {
  const { recipients, identityFile } = env.backup;
  const identities = await openIdentities(env);
  const isExpected = recipients.length > 0 || identityFile !== undefined;
  return await explained(() =>
    openBackup(store, stored, {
      identities,
      allowUnencrypted: allowUnencrypted === true || !isExpected,
    }),
  );
}

/** Turns errors of backups into sentences for the user. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError) throw new CommandError(error.message);
    throw error;
  }
}
