import { readFile } from 'node:fs/promises';
import { Wallet } from '@ethereumjs/wallet';
import { type Hex, toHex } from 'viem';
import { z } from 'zod';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { askPassword, isTerminal } from './ask.ts';

/** Where the password of a keystore file is from. */
export interface PasswordSource {
  /** File whose first line is the password. */
  readonly file: string | undefined;
  /** Value of KEYSTORE_PASSWORD. */
  readonly variable: string | undefined;
}

const hex = z.string().regex(/^(?:[0-9a-fA-F]{2})+$/);

/**
 * Web3 Secret Storage, version 3. Its limits on the work are well above what wallets write: without
 * them, a file could take all memory.
 */
const keystoreSchema = z.object({
  version: z.literal(3),
  crypto: z.object({
    cipher: z.literal('aes-128-ctr'),
    ciphertext: hex,
    cipherparams: z.object({ iv: hex.length(32) }),
    mac: hex.length(64).transform((mac) => mac.toLowerCase()),
    kdf: z.enum(['scrypt', 'pbkdf2']),
    kdfparams: z.object({
      dklen: z.literal(32),
      salt: hex,
      n: z
        .number()
        .int()
        .max(2 ** 20)
        .optional(),
      r: z.number().int().max(16).optional(),
      p: z.number().int().max(16).optional(),
      c: z.number().int().max(10_000_000).optional(),
      prf: z.literal('hmac-sha256').optional(),
    }),
  }),
});

/**
 * Decrypts the key of a keystore file.
 * @throws {CommandError} if the file cannot be read or is no keystore, there is no password, or it is
 * the wrong one. No message contains a secret.
 */
export async function readKeystore(path: string, source: PasswordSource): Promise<Hex> {
  const keystore = keystoreSchema.safeParse(parsedJson(await readText(path, 'keystore')));
  if (!keystore.success) {
    throw new CommandError(
      `${path} is no keystore file: Web3 Secret Storage, version 3, with scrypt or pbkdf2.`,
    );
  }
  const password = await passwordOf(path, source);
  try {
    const wallet = await Wallet.fromV3(keystore.data as never, password);
    return toHex(wallet.getPrivateKey());
  } catch {
    throw new CommandError(`The password does not open the keystore ${path}.`);
  }
}

async function passwordOf(keystore: string, { file, variable }: PasswordSource): Promise<string> {
  if (file !== undefined) return (await readText(file, 'password')).split(/\r?\n/, 1)[0] ?? '';
  if (variable !== undefined) return variable;
  if (isTerminal()) return await askPassword(`Password of ${keystore}:`);
  throw new CommandError(
    'The keystore needs a password: --password-file <file>, KEYSTORE_PASSWORD, or a terminal to ask on.',
    exitCodes.usage,
  );
}

async function readText(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`The ${what} file ${path} cannot be read (${code}).`);
  }
}

/** The value of a JSON text, with the upper-case `Crypto` that old wallets wrote in lower case. */
function parsedJson(text: string): unknown {
  try {
    const value = JSON.parse(text);
    return value?.Crypto === undefined ? value : { ...value, crypto: value.Crypto };
  } catch {
    return undefined;
  }
}
