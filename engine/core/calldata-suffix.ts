// Codes that a sender attached to the end of a transaction's calldata (ERC-8021). They decide nothing here: the contract
// ignores them, and which node a sale is attributed to is an argument of its call. They are a stranger's bytes.

import type { Address, Hex } from './events.ts';
import { fromHex, toHex } from './hex-bytes.ts';

/** Part that the entity of a code has in the transaction; only schema 2 says it. */
export type CodeRole = 'app' | 'wallet' | 'service';

/** Where a code is registered, if not in the registry that the transaction's chain defines. */
export type CodeRegistry = {
  readonly chainId: number;
  readonly address: Address;
};

/** A code of a suffix, as a type and not an interface, so that it is JSON to the compiler. Nothing proves that its entity had a part in the transaction. */
export type AttachedCode = {
  /** Printable ASCII without spaces and commas. */
  readonly code: string;
  /** `null` if the suffix does not say it. */
  readonly role: CodeRole | null;
  /** `null`: the registry that the chain defines, if it does. */
  readonly registry: CodeRegistry | null;
};

/** Bytes of a suffix, at most: a longer one is not read. */
export const MAX_SUFFIX_BYTES = 512;
/** Codes of one suffix, and characters of one code. */
export const MAX_CODES = 16;
export const MAX_CODE_LENGTH = 64;

/** The last 16 bytes of each suffix. */
const MARKER = '80218021802180218021802180218021';
const MARKER_BYTES = 16;

/** Bytes of a chain id: 2^48 is far above every chain id in use, and below 2^53. */
const MAX_CHAIN_ID_BYTES = 6;

/** Depth and values of the CBOR of schema 2. */
const MAX_DEPTH = 4;
const MAX_VALUES = 128;

/** Thrown within this module for a suffix that does not follow the ERC, or exceeds a limit. */
class MalformedSuffixError extends Error {
  override readonly name = 'MalformedSuffixError';
}

/**
 * Reads the codes at the end of calldata: schemas 0, 1 and 2 of ERC-8021. A suffix that is malformed, exceeds a limit or has
 * an unknown schema has no codes: it may be chance or a trick, and nothing fails because of it.
 * @param calldata a transaction's input, or its last `MAX_SUFFIX_BYTES` bytes.
 */
export function attachedCodes(calldata: Hex): readonly AttachedCode[] {
  if (!isHexOfBytes(calldata)) return [];
  const end = calldata
    .slice(2)
    .slice(-2 * MAX_SUFFIX_BYTES)
    .toLowerCase();
  if (!end.endsWith(MARKER)) return [];
  const bytes = new BytesBackwards(fromHex(`0x${end.slice(0, -2 * MARKER_BYTES)}`));
  try {
    const codes = codesOf(bytes);
    if (codes.length > MAX_CODES) throw new MalformedSuffixError('too many codes');
    return codes;
  } catch (error) {
    if (error instanceof MalformedSuffixError) return [];
    throw error;
  }
}

function isHexOfBytes(text: string): boolean {
  return text.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(text);
}

function codesOf(bytes: BytesBackwards): readonly AttachedCode[] {
  const schema = bytes.number(1);
  if (schema === 2) return codesOfMap(new CborReader(bytes.take(bytes.number(2))).only());
  if (schema !== 0 && schema !== 1) throw new MalformedSuffixError('unknown schema');
  const list = textOf(bytes.take(bytes.number(1)));
  const registry = schema === 1 ? registryBefore(bytes) : null;
  return list === '' ? [] : list.split(',').map((code) => attached(code, null, registry));
}

function registryBefore(bytes: BytesBackwards): CodeRegistry {
  const length = bytes.number(1);
  if (length === 0 || length > MAX_CHAIN_ID_BYTES) throw new MalformedSuffixError('chain id');
  const chainId = bytes.number(length);
  return { chainId, address: toHex(bytes.take(20)) };
}

function attached(code: unknown, role: CodeRole | null, registry: CodeRegistry | null) {
  if (typeof code !== 'string' || code.length > MAX_CODE_LENGTH || !/^[!-+\--~]+$/.test(code)) {
    throw new MalformedSuffixError('code');
  }
  return { code, role, registry };
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** Reads bytes from their end. */
class BytesBackwards {
  #end: number;

  constructor(readonly bytes: Uint8Array) {
    this.#end = bytes.length;
  }

  take(length: number): Uint8Array {
    if (length > this.#end) throw new MalformedSuffixError('too short');
    this.#end -= length;
    return this.bytes.subarray(this.#end, this.#end + length);
  }

  /** A big-endian number of at most 6 bytes. */
  number(length: number): number {
    return numberOf(this.take(length));
  }
}

function numberOf(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

/** A value of CBOR; `undefined` for one that no code is made of, such as a number. */
type CborValue = string | readonly CborValue[] | ReadonlyMap<string, CborValue> | undefined;

/** Reads the subset of CBOR (RFC 8949) in which each length is given, and the keys of maps are texts. */
class CborReader {
  #at = 0;
  #values = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** The value that is all of the bytes. */
  only(): CborValue {
    const value = this.#value(0);
    if (this.#at !== this.bytes.length) throw new MalformedSuffixError('bytes after the map');
    return value;
  }

  #value(depth: number): CborValue {
    this.#values += 1;
    if (depth > MAX_DEPTH || this.#values > MAX_VALUES) throw new MalformedSuffixError('too deep');
    const [initial = 0] = this.#take(1);
    const [type, info] = [initial >> 5, initial & 31];
    // Lengths from 24 on follow in 1, 2, 4 or 8 bytes; no value here is that long.
    if (info > 27) throw new MalformedSuffixError('a value of unknown length');
    const argument = info < 24 ? info : numberOf(this.#take(2 ** (info - 24)));
    if (type === 2) this.#take(argument);
    if (type === 3) return this.#text(argument);
    if (type === 4) return Array.from(this.#each(argument), () => this.#value(depth + 1));
    if (type === 5) return this.#map(argument, depth + 1);
    if (type === 6) throw new MalformedSuffixError('a tag');
    return undefined;
  }

  #text(length: number): string {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.#take(length));
    } catch (error) {
      throw error instanceof MalformedSuffixError ? error : new MalformedSuffixError('text');
    }
  }

  #map(length: number, depth: number): ReadonlyMap<string, CborValue> {
    const map = new Map<string, CborValue>();
    for (const _ of this.#each(length)) {
      const key = this.#value(depth);
      if (typeof key !== 'string' || map.has(key)) throw new MalformedSuffixError('key');
      map.set(key, this.#value(depth));
    }
    return map;
  }

  /** As many items as a value says that it has; each takes a byte at least. */
  #each(length: number): Iterable<undefined> & ArrayLike<undefined> {
    if (length > this.bytes.length) throw new MalformedSuffixError('too short');
    return new Array<undefined>(length).fill(undefined);
  }

  #take(length: number): Uint8Array {
    if (length > this.bytes.length - this.#at) throw new MalformedSuffixError('too short');
    this.#at += length;
    return this.bytes.subarray(this.#at - length, this.#at);
  }
}

/** The codes of the map of schema 2. Its metadata and the keys that the ERC reserves are not read. */
function codesOfMap(value: CborValue): readonly AttachedCode[] {
  const map = mapOf(value);
  const [app, wallet, services = []] = ['a', 'w', 's'].map((key) => map.get(key));
  if (!Array.isArray(services)) throw new MalformedSuffixError('services');
  const registries = map.has('r') ? mapOf(map.get('r')) : new Map<string, CborValue>();
  const registryOf = (key: string) =>
    registries.has(key) ? registryOfMap(mapOf(registries.get(key))) : null;
  return [
    ...(map.has('a') ? [attached(app, 'app', registryOf('a'))] : []),
    ...(map.has('w') ? [attached(wallet, 'wallet', registryOf('w'))] : []),
    ...services.map((service: CborValue) => attached(service, 'service', null)),
  ];
}

function mapOf(value: CborValue): ReadonlyMap<string, CborValue> {
  if (value instanceof Map) return value;
  throw new MalformedSuffixError('no map');
}

function registryOfMap(map: ReadonlyMap<string, CborValue>): CodeRegistry {
  const [chainId, address] = [map.get('c'), map.get('a')];
  if (typeof chainId !== 'string' || !/^0x[0-9a-f]{1,12}$/i.test(chainId)) {
    throw new MalformedSuffixError('chain id');
  }
  if (typeof address !== 'string' || !/^0x[0-9a-f]{40}$/i.test(address)) {
    throw new MalformedSuffixError('address');
  }
  return { chainId: Number(chainId), address: `0x${address.slice(2).toLowerCase()}` };
}

/**
 * Appends codes to the calldata of a transaction (ERC-8021, schema 0). The contract ignores them, and receipts show them.
 * @param calldata `0x` and hex digits, such as `data` of an unsigned transaction of the API.
 * @throws {RangeError} if that is no calldata, a code is not printable ASCII without spaces and commas, or there are too many.
 */
export function withAttachedCodes(calldata: string, codes: readonly string[]): Hex {
  const list = new TextEncoder().encode(codes.join(','));
  const length = toHex(Uint8Array.of(list.length));
  // `attachedCodes` reads none if this is no hex.
  const data = `${calldata}${toHex(list).slice(2)}${length.slice(2)}00${MARKER}` as Hex;
  const read = list.length > 255 ? [] : attachedCodes(data).map(({ code }) => code);
  if (read.length === 0 || JSON.stringify(read) !== JSON.stringify(codes)) {
    throw new RangeError(`"${codes.join(',')}" are no codes that a suffix can have.`);
  }
  return data;
}
