import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { SecretKeys } from '../../secrets/keys.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Characters of the public id, of the secret (190 bits), and of the check. */
const LENGTHS = { id: 10, secret: 32, check: 6 } as const;

/** `tby_live_`, or `tby_test_` for a local chain; the id; the secret; and a check of all before it. */
const FORM = /^(tby_(?:live|test)_([0-9A-Za-z]{10})_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** A new key, which its owner sees once. */
export interface NewKey {
  /** Public part, by which the key is found. */
  readonly id: string;
  /** The key, 57 characters. */
  readonly text: string;
  /** First characters, which tell keys apart. */
  readonly prefix: string;
}

/**
 * Makes a key. Its prefix and its check characters let a scanner of source code recognize a key without
 * asking the service (docs/use/teams.md#api-keys).
 */
export function newKey(isTest: boolean): NewKey {
  const id = randomText(LENGTHS.id);
  const prefix = `tby_${isTest ? 'test' : 'live'}_${id}`;
  const body = `${prefix}_${randomText(LENGTHS.secret)}`;
  return { id, text: body + checkOf(body), prefix };
}

/** Public id of a key; `undefined` if the text is not a key, or was not copied whole. */
export function keyIdOf(text: string): string | undefined {
  const [, body, id, check] = FORM.exec(text) ?? [];
  return body !== undefined && checkOf(body) === check ? id : undefined;
}

/** Hash of a key under the newest secret of the deployment, for the database. */
export function keyHashOf(text: string, keys: SecretKeys): Uint8Array {
  return hashUnder(keys.current('API key'), text);
}

/** True if a key has that hash under any secret that the deployment accepts. */
export function hasKeyHash(text: string, hash: Uint8Array, keys: SecretKeys): boolean {
  return keys.accepted('API key').some((key) => timingSafeEqual(hashUnder(key, text), hash));
}

/** The key is random enough that a fast hash is safe. */
function hashUnder(key: Uint8Array, text: string): Uint8Array {
  return createHmac('sha256', key).update(text).digest();
}

function checkOf(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let place = 0; place < LENGTHS.check; place++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}
