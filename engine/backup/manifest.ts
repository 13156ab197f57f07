import { z } from 'zod';

/** Thrown with a sentence if a backup cannot be made, read or trusted. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

const Hash32 = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)]);
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.int().min(0);

/** A file of a backup, with what it must contain. */
const Part = z.strictObject({
  key: z.string(),
  /** Bytes. */
  size: Count,
  sha256: Sha256,
});
export type Part = z.infer<typeof Part>;

const Root = z.strictObject({
  block: z.strictObject({ number: Count, hash: Hash32 }),
  root: Hash32,
  leftOut: z.array(z.string()),
});

/** Version of the layout of a backup. A version that does not know it refuses the backup. */
export const FORMAT = 1;

/**
 * Description of a backup (docs/backup.md#layout). It is written last, so a folder without one is not a backup.
 * `parts` of a table are one gzip stream of lines as PostgreSQL's COPY writes them.
 */
export const Manifest = z.strictObject({
  format: z.literal(FORMAT),
  name: z.string().regex(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/),
  /** Version of Tributary that made it. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  deployment: z.strictObject({
    chainId: z.int().min(1),
    genesisHash: Hash32,
    contractAddress: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)]),
  }),
  migrations: z.array(z.string()),
  withLedger: z.boolean(),
  /** The settled block first; empty if none was settled. */
  roots: z.array(Root),
  tables: z.array(
    z.strictObject({
      name: z.string(),
      columns: z.array(z.string()),
      rows: Count,
      parts: z.array(Part),
    }),
  ),
  sequences: z.array(
    z.strictObject({ name: z.string(), value: z.string(), isCalled: z.boolean() }),
  ),
  /** List of the stored files that rows name: gzip of a line of JSON for each (`StoredFile`). */
  files: z.strictObject({ count: Count, bytes: Count, missing: Count, parts: z.array(Part) }),
});
export type Manifest = z.infer<typeof Manifest>;

/** A line of the list of files. Its content is in `files/`, unless it is missing. */
export const StoredFile = z.strictObject({
  key: z.string(),
  /** Bytes. */
  size: Count,
  sha256: Sha256,
  /** True if the row names a file that was not there. */
  missing: z.boolean(),
});
export type StoredFile = z.infer<typeof StoredFile>;

/** Where the description of a backup is. */
export function manifestKey(name: string): string {
  return `backups/${name}/manifest.json`;
}

/** Where the content of a stored file is: once, however many backups and rows name it. */
export function contentKey(sha256: string): string {
  return `files/${sha256.slice(0, 2)}/${sha256}`;
}
