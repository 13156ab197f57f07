/** Limits of what a backup may contain (docs/operate/back-up.md#limits). Making a backup and reading one obey them alike. */
export const limits = {
  /** Bytes of a manifest. */
  manifestBytes: 16 << 20,
  /** Bytes of a part before encryption: object storage limits the size of one upload. */
  partBytes: 1 << 30,
  /** Bytes that encryption may add to a part or a file, for each 64 KiB and in its header. */
  encryptionBytes: { each64KiB: 16, header: 64 << 10 },
  /** Bytes of one row as text. */
  rowBytes: 64 << 20,
  /** Bytes of a line of a list of files. */
  listLineBytes: 4 << 10,
  /** Bytes of a stored file. */
  fileBytes: 2 ** 40,
  /** A table may be this many times as large as its parts, and `expansionFreeBytes` more. */
  expansion: 200,
  expansionFreeBytes: 64 << 20,
  /** Files below `backups/` of a target. */
  keys: 1_000_000,
  /** Backups in a target. */
  backups: 10_000,
  /** Public keys for which a backup is encrypted, and identities in a file. */
  recipients: 16,
} as const;

/** Highest number of bytes that an encrypted object of some plain bytes can have. */
export function maxEncryptedBytes(plain: number): number {
  const { each64KiB, header } = limits.encryptionBytes;
  return plain + (Math.ceil(plain / (64 << 10)) + 1) * each64KiB + header;
}
