import { z } from 'zod';
import { backupTables } from '../db/backup/tables.ts';
import { limits, maxEncryptedBytes } from './limits.ts';

/** Thrown with a sentence if a backup cannot be made, read or trusted. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

const Hash32 = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)]);
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');
const Count = z.int().min(0);

/** A file of a backup, with what it must contain. */
const Part = z.strictObject({
  /** Where it is below the target: exactly where the layout says. */
  key: z.string(),
  /** Bytes as stored. */
  size: Count.max(maxEncryptedBytes(limits.partBytes)),
  /** Hash of the stored bytes. */
  sha256: Sha256,
});
export type Part = z.infer<typeof Part>;

/** Layout of a backup that is not encrypted. A version that does not know a layout refuses the backup. */
export const PLAIN = 1;

/** Layout of an encrypted backup: everything in it except `Sealed` and its list of contents. */
export const ENCRYPTED = 2;

export type Format = typeof PLAIN | typeof ENCRYPTED;

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{8}$/;

/** True for a name that a backup can have. */
export function isBackupName(name: string): boolean {
  return NAME.test(name);
}

const head = {
  name: z.string().regex(NAME, 'must be a time and 8 hexadecimal digits'),
  /** Version of Tributary that made it. */
  version: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$/, 'must be a version'),
  createdAt: z.iso.datetime(),
  deployment: z.strictObject({
    chainId: z.int().min(1),
    genesisHash: Hash32,
    contractAddress: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)]),
  }),
};

const Root = z.strictObject({
  block: z.strictObject({ number: Count, hash: Hash32 }),
  root: Hash32,
  leftOut: z.array(z.string().regex(/^\d{1,19}$/, 'must be the number of a campaign')),
});

const Table = z.strictObject({
  name: z.string(),
  columns: z
    .array(z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be the name of a column'))
    .min(1),
  rows: Count,
  parts: z.array(Part).min(1),
});

const Sequence = z.strictObject({
  name: z.string().regex(/^(commerce|ledger)[.][a-z_][a-z0-9_]{0,62}$/, 'must be a sequence'),
  value: z.string().regex(/^\d{1,15}$/, 'must be a whole number of at most 15 digits'),
  isCalled: z.boolean(),
});

/**
 * Description of a backup (docs/operate/back-up.md#layout). It is written last, so a folder without one is not a backup.
 * `parts` of a table are one gzip stream of lines as PostgreSQL's COPY writes them. Whatever it says is checked: it can
 * be of an attacker who can write to the target.
 */
export const Manifest = z
  .strictObject({
    format: z.literal([PLAIN, ENCRYPTED]),
    ...head,
    migrations: z.array(
      z.string().regex(/^\d{4}_[a-z0-9_]{1,80}[.]sql$/, 'must be the name of a migration'),
    ),
    withLedger: z.boolean(),
    /** The settled block first; empty if none was settled. */
    roots: z.array(Root).max(2),
    tables: z.array(Table),
    sequences: z.array(Sequence),
    /** List of the stored files that rows name: gzip of a line of JSON for each (`StoredFile`). */
    files: z.strictObject({
      count: Count,
      bytes: Count,
      missing: Count,
      parts: z.array(Part).min(1),
    }),
  })
  .superRefine((manifest, context) => {
    const { format, name, tables, files } = manifest;
    const refuse = refuserOf(context);
    requireTime(manifest, refuse);
    requireOnce(manifest.migrations, ['migrations'], refuse);
    requireOnce(
      manifest.sequences.map((one) => one.name),
      ['sequences'],
      refuse,
    );
    requireOnce(
      tables.map((one) => one.name),
      ['tables'],
      refuse,
    );
    const known = new Set(backupTables(manifest.withLedger));
    tables.forEach((table, index) => {
      const path = ['tables', index];
      if (!known.has(table.name)) {
        refuse([...path, 'name'], 'must be a table that a backup of this kind has');
      }
      requireOnce(table.columns, [...path, 'columns'], refuse);
      requireKeys(table.parts, [...path, 'parts'], tableKey(format, name, table.name), refuse);
    });
    requireKeys(files.parts, ['files', 'parts'], listKey(format, name), refuse);
  });
export type Manifest = z.infer<typeof Manifest>;

/**
 * Description of an encrypted backup that is readable without its key: all that retention, lists and a check of the stored bytes need
 * (docs/operate/back-up.md#what-stays-readable). It is the `manifest.json` of such a backup.
 */
export const Sealed = z
  .strictObject({
    format: z.literal(ENCRYPTED),
    ...head,
    /** Ids of the public keys for which it is encrypted (`keyIdOf`). */
    recipients: z
      .array(z.string().regex(/^[0-9a-f]{16}$/, 'must be the id of a key'))
      .min(1)
      .max(limits.recipients),
    /** The encrypted `Manifest`. */
    description: Part,
    /** All parts of the `Manifest`. */
    parts: z.array(Part),
    /** List of the objects in `files/` that it needs: gzip of a line of JSON for each (`StoredObject`). */
    contents: z.strictObject({ count: Count, parts: z.array(Part).min(1) }),
  })
  .superRefine((sealed, context) => {
    const { name, description, parts, contents } = sealed;
    const refuse = refuserOf(context);
    requireTime(sealed, refuse);
    const expected = descriptionKey(name);
    if (description.key !== expected) refuse(['description', 'key'], `must be ${expected}`);
    requireKeys(contents.parts, ['contents', 'parts'], contentsKey(name), refuse);
    requireOnce(
      parts.map(({ key }) => key),
      ['parts'],
      refuse,
    );
    const folder = `backups/${name}/`;
    parts.forEach(({ key }, index) => {
      const isPart =
        key.startsWith(folder) && SEALED_PART.test(key.slice(folder.length)) && key.length <= 200;
      if (!isPart) refuse(['parts', index, 'key'], 'must be a part of this backup');
    });
  });
export type Sealed = z.infer<typeof Sealed>;

const SEALED_PART = /^(files|tables\/[a-z]+[.][a-z0-9_]+)[.]\d+[.]gz[.]age$/;

/** A line of the list of files. Its content is in `files/`, unless it is missing. */
export const StoredFile = z.strictObject({
  /** Key in the storage of uploads and reports: nothing else is restored into it. */
  key: z
    .string()
    .max(200)
    .regex(
      /^(media|reports)(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/,
      'must be of an upload or a report',
    ),
  /** Bytes. */
  size: Count.max(limits.fileBytes),
  sha256: Sha256,
  /** True if the row names a file that was not there. */
  missing: z.boolean(),
  /** Name of the encrypted object with its content; only in an encrypted backup. */
  object: Sha256.optional(),
});
export type StoredFile = z.infer<typeof StoredFile>;

/** A line of the list of contents of an encrypted backup. */
export const StoredObject = z.strictObject({
  object: Sha256,
  /** Bytes as stored. */
  size: Count.max(maxEncryptedBytes(limits.fileBytes)),
});
export type StoredObject = z.infer<typeof StoredObject>;

type Refuse = (path: (string | number)[], message: string) => void;

function refuserOf(context: z.core.$RefinementCtx): Refuse {
  return (path, message) => context.addIssue({ code: 'custom', path, message });
}

/** Names order backups, and the time decides how long one stays. */
function requireTime({ name, createdAt }: { name: string; createdAt: string }, refuse: Refuse) {
  if (name.startsWith(`${nameTime(createdAt)}-`)) return;
  refuse(['createdAt'], 'must be the time in the name');
}

function requireOnce(names: readonly string[], path: (string | number)[], refuse: Refuse): void {
  const found = new Set<string>();
  names.forEach((name, index) => {
    if (found.has(name)) refuse([...path, index], 'must not be there twice');
    found.add(name);
  });
}

function requireKeys(
  parts: readonly Part[],
  path: (string | number)[],
  keyOf: (index: number) => string,
  refuse: Refuse,
): void {
  parts.forEach(({ key }, index) => {
    if (key !== keyOf(index)) refuse([...path, index, 'key'], `must be ${keyOf(index)}`);
  });
}

/**
 * Reads JSON as a schema says.
 * @param key file that has it, for the message.
 * @throws {BackupError} naming the file and the first field that is wrong.
 */
export function parseAs<T>(schema: z.ZodType<T>, key: string, text: string, what: string): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new BackupError(`${key} cannot be read: it is damaged.`, { cause: error });
  }
  return checkedAs(schema, key, json, what);
}

/** Checks a value as a schema says, as `parseAs` does. */
export function checkedAs<T>(schema: z.ZodType<T>, key: string, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  const [issue] = parsed.error?.issues ?? [];
  if (issue === undefined) return parsed.data as T;
  const field = issue.path.length === 0 ? 'it' : z.core.toDotPath(issue.path);
  // The message can quote what the file says: a terminal must not obey it.
  const message = issue.message.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
  throw new BackupError(`${key} is not ${what}: ${field}: ${message}.`);
}

/** The time of a backup as its name begins: 20260131T235959Z. */
export function nameTime(createdAt: string): string {
  return createdAt.replace(/[-:]|[.]\d+/g, '');
}

/** Where the description of a backup is, or what an encrypted one says without its key. */
export function manifestKey(name: string): string {
  return `backups/${name}/manifest.json`;
}

/** Where the encrypted description of a backup is. */
export function descriptionKey(name: string): string {
  return `${manifestKey(name)}.age`;
}

/** Where the parts of a table are. */
export function tableKey(format: Format, name: string, table: string): (index: number) => string {
  return partKey(format, `backups/${name}/tables/${table}`);
}

/** Where the list of files is. */
export function listKey(format: Format, name: string): (index: number) => string {
  return partKey(format, `backups/${name}/files`);
}

/** Where the list of contents of an encrypted backup is; it is not encrypted. */
export function contentsKey(name: string): (index: number) => string {
  return partKey(PLAIN, `backups/${name}/contents`);
}

function partKey(format: Format, stem: string): (index: number) => string {
  return (index) => `${stem}.${index}.gz${format === ENCRYPTED ? '.age' : ''}`;
}

/** Where the content of a stored file is: once, however many backups and rows name it. */
export function contentKey(sha256: string): string {
  return `files/${sha256.slice(0, 2)}/${sha256}`;
}

/** Where the encrypted content of a stored file is. */
export function objectKey(object: string): string {
  return `${contentKey(object)}.age`;
}
