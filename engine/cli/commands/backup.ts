import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BackupReport, createBackup } from '../../backup/create.ts';
import { type Encryption, openEncryption } from '../../backup/encryption.ts';
import { ENCRYPTED, type Manifest } from '../../backup/manifest.ts';
import { isSealed, type StoredManifest } from '../../backup/open.ts';
import { listBackups } from '../../backup/retention.ts';
import { verifyManifest, verifySealed } from '../../backup/verify.ts';
import { openKeccak } from '../../chain/keccak.ts';
import { readSecrets } from '../../db/commerce/secrets.ts';
import type { Pool } from '../../db/connection.ts';
import { pendingMigrations } from '../../db/migrate.ts';
import type { Env } from '../../env.ts';
import { deriveKeys } from '../../secrets/keys.ts';
import { withDatabase } from '../backup/database.ts';
import { progressLine } from '../backup/progress.ts';
import { explained, findBackup, openFound, openTarget } from '../backup/target.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { out, style } from '../output.ts';
import { projectRoot } from '../stack/processes.ts';
import { openStorage } from '../storage.ts';

/** Options of `tributary backup`. */
export interface BackupCommandOptions {
  /** Folder, or `s3://bucket/prefix`. */
  readonly to: string;
  readonly withLedger?: boolean;
  readonly keep?: number;
  readonly keepDays?: number;
  readonly json?: boolean;
}

/**
 * Runs `tributary backup`. Exits 1 if migrations are pending, and if files that rows name are lost; then the rest is
 * backed up all the same.
 */
export async function runBackup(env: Env, options: BackupCommandOptions): Promise<void> {
  const store = openTarget(env, options.to);
  const { keep, keepDays } = options;
  const report = await withDatabase(env, 'backup', async (pool) => {
    await requireMigrated(pool);
    return await progressLine(options.json === true, async (onProgress) =>
      explained(async () =>
        createBackup({
          pool,
          files: await openStorage(env),
          store,
          encryption: await encryptionOf(env, pool),
          keccak256: await openKeccak(),
          version: await ownVersion(),
          withLedger: options.withLedger === true,
          keep:
            keep === undefined && keepDays === undefined
              ? undefined
              : { newest: keep, days: keepDays },
          onProgress,
        }),
      ),
    );
  });
  if (report.lost.length > 0) process.exitCode = exitCodes.failed;
  if (options.json === true) out.json(jsonOf(store.url, report));
  else print(store.url, report);
}

/**
 * The encryption of new backups; `undefined` if `BACKUP_RECIPIENTS` is not set. Contents get their names under the secret
 * of the deployment: after it was changed, each file is stored once more.
 */
async function encryptionOf(env: Env, pool: Pool): Promise<Encryption | undefined> {
  const { recipients } = env.backup;
  if (recipients.length === 0) return undefined;
  const secrets = env.secret === undefined ? await readSecrets(pool) : [env.secret];
  return openEncryption(recipients, deriveKeys(secrets).current('backup'));
}

/**
 * A backup changes nothing in the database: the one before an upgrade must be of the old version, which could not
 * continue after a migration.
 * @throws {CommandError} if the database lacks migrations of this version.
 */
async function requireMigrated(pool: Pool): Promise<void> {
  const pending = await pendingMigrations(pool);
  if (pending.length === 0) return;
  throw new CommandError(
    `This database is of an older version (it lacks ${pending.join(', ')}): back it up with that version, or run \`tributary migrate\` first.`,
  );
}

/** Runs `tributary backup list`: the complete backups of a target, newest first. */
export async function runBackupList(
  env: Env,
  target: string,
  options: { readonly json?: boolean },
): Promise<void> {
  const store = openTarget(env, target);
  const all = (await explained(() => listBackups(store))).reverse();
  if (options.json === true) {
    out.json(all.map(summaryOf));
    return;
  }
  if (all.length === 0) out.print(`${store.url} has no complete backup.`);
  else {
    const rows = all.map((one) => [
      one.name,
      ...(isSealed(one)
        ? ['encrypted', '–', String(one.contents.count), '–']
        : [
            String(one.roots[0]?.block.number ?? '–'),
            String(rowsOf(one)),
            String(one.files.count),
            one.withLedger ? 'yes' : 'no',
          ]),
      one.version,
    ]);
    out.table(rows, ['backup', 'block', 'rows', 'files', 'ledger', 'version']);
  }
}

/**
 * Runs `tributary backup verify`: reads everything again. Of an encrypted backup, only the stored bytes are compared if no
 * identity is set. Exits 1 if a part is missing or damaged.
 */
export async function runBackupVerify(
  env: Env,
  reference: string,
  options: { readonly allowUnencrypted?: boolean; readonly json?: boolean },
): Promise<void> {
  const found = await findBackup(env, reference);
  const { store, stored } = found;
  const isOpened = !isSealed(stored) || env.backup.identityFile !== undefined;
  if (isSealed(stored)) await explained(() => verifySealed(store, stored));
  if (isOpened) {
    const backup = await openFound(env, found, options);
    await explained(() => verifyManifest(backup, { contents: true }));
  }
  if (options.json === true) out.json(summaryOf(stored));
  else {
    const closed = isOpened ? '' : ' Nothing was decrypted: that needs BACKUP_IDENTITY_FILE.';
    out.print(style.green(`${stored.name} is complete: every hash was compared.${closed}`));
  }
}

function jsonOf(target: string, { manifest, stored, lost, removed }: BackupReport) {
  return { target, ...summaryOf(manifest), stored, lost, removed };
}

function summaryOf(stored: StoredManifest) {
  const { name, version, createdAt, deployment } = stored;
  const encrypted = stored.format === ENCRYPTED;
  if (isSealed(stored)) {
    return { name, version, createdAt, deployment, encrypted, recipients: stored.recipients };
  }
  const { withLedger, roots, files } = stored;
  const { parts: _, ...counts } = files;
  return {
    ...{ name, version, createdAt, deployment, encrypted, withLedger, roots },
    rows: rowsOf(stored),
    files: counts,
  };
}

function print(target: string, { manifest, stored, lost, removed }: BackupReport): void {
  const [root] = manifest.roots;
  out.table([
    ['backup', style.bold(`${target}/backups/${manifest.name}`)],
    ['encrypted', manifest.format === ENCRYPTED ? 'yes' : 'no'],
    ['settled block', root === undefined ? 'none' : String(root.block.number)],
    ['root', root?.root ?? '–'],
    ['rows', String(rowsOf(manifest))],
    ['files', `${manifest.files.count}, of which ${stored.files} are new (${stored.bytes} bytes)`],
    ['removed backups', removed.join(', ') || 'none'],
  ]);
  for (const file of lost) out.print(style.red(`Lost before this backup: ${file}`));
}

function rowsOf({ tables }: Manifest): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

/** Version of this program. */
async function ownVersion(): Promise<string> {
  const json = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
  return String((json as { version: string }).version);
}
