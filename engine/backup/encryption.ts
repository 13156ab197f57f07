import { createHash, createHmac } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import {
  Decrypter,
  Encrypter,
  identityToRecipient,
  type ReadableStreamWithSize,
} from 'age-encryption';
import { limits } from './limits.ts';
import { BackupError } from './manifest.ts';

/** Encrypts what a backup stores, in the format of age (https://age-encryption.org/v1). */
export interface Encryption {
  /** Ids of the public keys (`keyIdOf`). */
  readonly recipients: readonly string[];
  /** The encrypted bytes of a stream, of which 64 KiB are in memory. */
  encrypt(plain: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>>;
  /** Bytes that a number of plain bytes has encrypted. */
  sizeOf(plain: number): Promise<number>;
  /**
   * Name of the object with a content: equal for equal contents, so that each is stored once. It is a keyed hash, because
   * a plain one would show to readers of the target which known files are in it. It differs for other recipients, who
   * could not read the object.
   */
  objectOf(sha256: string): string;
}

/**
 * Opens the encryption of new backups.
 * @param recipients public keys `age1…`.
 * @param nameKey secret of the deployment, 32 bytes, under which contents get their names.
 * @throws {BackupError} naming the first key that is wrong.
 */
export function openEncryption(recipients: readonly string[], nameKey: Uint8Array): Encryption {
  const encrypter = new Encrypter();
  recipients.forEach((recipient, index) => {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new BackupError(
        `BACKUP_RECIPIENTS (entry ${index + 1}) is not a public key of age: its last characters do not match.`,
      );
    }
  });
  // All have a header of the same size.
  let sample: Promise<ReadableStreamWithSize> | undefined;
  const readers = [...new Set(recipients)].sort().join('\n');
  return {
    recipients: [...new Set(recipients)].map(keyIdOf),
    encrypt: async (plain) => asNode(await encrypter.encrypt(asWeb(Readable.from(plain)))),
    sizeOf: async (plain) => {
      sample ??= encrypter.encrypt(asWeb(Readable.from([])));
      return (await sample).size(plain);
    },
    objectOf: (sha256) =>
      createHmac('sha256', nameKey).update(`${readers}\n${sha256}`).digest('hex'),
  };
}

/** Short name of a public key, for people and in what stays readable of a backup. */
function keyIdOf(recipient: string): string {
  return createHash('sha256').update(recipient).digest('hex').slice(0, 16);
}

/** The private keys of an operator. */
export class Identities {
  readonly #decrypter: Decrypter;

  private constructor(
    /** Ids of their public keys. */
    readonly keyIds: readonly string[],
    decrypter: Decrypter,
  ) {
    this.#decrypter = decrypter;
  }

  /**
   * Reads a file as `age-keygen` writes it: a line for each identity, and comments.
   * @throws {BackupError} if it cannot be read, others can read it, or a line is wrong. No message has a line of it.
   */
  static async read(path: string): Promise<Identities> {
    const decrypter = new Decrypter();
    const keyIds: string[] = [];
    for (const [index, text] of (await readPrivately(path)).split('\n').entries()) {
      const line = text.trim();
      if (line === '' || line.startsWith('#')) continue;
      if (keyIds.length === limits.recipients) {
        throw new BackupError(`${path} has more than ${limits.recipients} identities.`);
      }
      try {
        decrypter.addIdentity(line);
        keyIds.push(keyIdOf(await identityToRecipient(line)));
      } catch {
        throw new BackupError(
          `${path}, line ${index + 1}, is not an identity of age: it must be AGE-SECRET-KEY-1…, as \`age-keygen\` writes it.`,
        );
      }
    }
    if (keyIds.length === 0) throw new BackupError(`${path} has no identity of age.`);
    return new Identities(keyIds, decrypter);
  }

  /**
   * Plain bytes of an encrypted object. Each chunk was authenticated before it is returned.
   * @param key where the object is, for messages.
   * @throws {BackupError} if none of the identities can open it, or it was changed or cut.
   */
  async *decrypt(key: string, encrypted: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const source = Readable.from(withShortHeader(key, encrypted));
    try {
      yield* asNode(await this.#decrypter.decrypt(asWeb(source)));
    } catch (error) {
      if (!(error instanceof Error) || !isOfDecryption(error)) throw error;
      throw new BackupError(
        /no identity matched/.test(error.message)
          ? `${key} is encrypted for another key than those of BACKUP_IDENTITY_FILE (${this.keyIds.join(', ')}).`
          : `${key} cannot be decrypted: it is damaged.`,
        { cause: error },
      );
    } finally {
      // The library does not end a source whose header it refuses.
      source.destroy();
    }
  }
}

/** True unless an error has come from the source: from the store, or because a limit was exceeded. */
function isOfDecryption(error: Error): boolean {
  if (error instanceof BackupError) return false;
  // Node's own cryptography throws these, and they have a code, too.
  return error instanceof DOMException || !('code' in error || '$metadata' in error);
}

/** age's library reads a header to its end, however long it is. */
async function* withShortHeader(
  key: string,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of source) {
    if (start === undefined) yield chunk;
    else {
      start = Buffer.concat([start, chunk]);
      const isWhole = start.includes('\n--- ');
      if (!isWhole && start.length > limits.encryptionBytes.header) {
        throw new BackupError(`${key} is not encrypted with age: its header has no end.`);
      }
      if (!isWhole) continue;
      yield start;
      start = undefined;
    }
  }
  if (start !== undefined) throw new BackupError(`${key} is not encrypted with age.`);
}

/** Text of a file that only its owner and group can read. */
async function readPrivately(path: string): Promise<string> {
  const handle = await open(path).catch((error: Error) => {
    throw new BackupError(`BACKUP_IDENTITY_FILE cannot be read: ${error.message}.`);
  });
  try {
    const { mode, size } = await handle.stat();
    if (process.platform !== 'win32' && (mode & 0o007) !== 0) {
      throw new BackupError(
        `Every account can read BACKUP_IDENTITY_FILE (${path}): run \`chmod 600\` on it, or make new keys if others know it.`,
      );
    }
    if (size > MAX_IDENTITY_FILE_BYTES)
      throw new BackupError(`${path} is not a file of age's keys.`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

const MAX_IDENTITY_FILE_BYTES = 64 << 10;

function asWeb(source: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(source) as ReadableStream<Uint8Array>;
}

function asNode(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  return stream as NodeStream<Uint8Array>;
}
