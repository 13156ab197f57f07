// Transactions that the API prepared, in the forms of wallets that take several of them in one confirmation.
import type { Keccak256 } from '../core/digest.ts';
import { toHex } from '../core/hex-bytes.ts';

type Hex = `0x${string}`;

/** A transaction that the API prepared, as far as wallets need it. */
export interface PreparedCall {
  readonly chainId: number;
  readonly to: string;
  readonly data: string;
  /** Wei, decimal digits. */
  readonly value: string;
  /** A sentence for people. */
  readonly description?: string;
}

/** A file of the Transaction Builder, the app of Safe that proposes calls to the owners of an account. */
export interface SafeBatch {
  readonly version: '1.0';
  readonly chainId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly meta: {
    readonly name: string;
    readonly description: string;
    readonly createdFromSafeAddress: string;
    readonly createdFromOwnerAddress: string;
    /** Hash of everything but the name: without it, the app warns that the file was changed. */
    readonly checksum: Hex;
  };
  readonly transactions: readonly {
    readonly to: Hex;
    readonly value: string;
    readonly data: string;
    readonly contractMethod: null;
    readonly contractInputsValues: null;
  }[];
}

interface SafeBatchOptions {
  /** With viem: `(bytes) => keccak256(bytes, 'bytes')`. */
  readonly keccak256: Keccak256;
  /** Address of the account that the calls were prepared for: they are its own. */
  readonly safe: string;
  /** Shown in the app. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/**
 * File of the Transaction Builder of Safe with these calls, in their order. The Safe executes all of them in one
 * transaction, or none.
 * @throws {RangeError} if there is no call, or they are of several chains.
 */
export function safeBatch(
  calls: readonly PreparedCall[],
  { keccak256, safe, name, createdAt }: SafeBatchOptions,
): SafeBatch {
  const meta = {
    name,
    description: calls.map(({ description = '' }) => description).join('\n'),
    createdFromSafeAddress: checksumAddress(keccak256, safe),
    createdFromOwnerAddress: '',
  };
  const batch = {
    version: '1.0' as const,
    chainId: String(chainOf(calls)),
    createdAt,
    meta,
    transactions: calls.map(({ to, data, value }) => ({
      to: checksumAddress(keccak256, to),
      value,
      data,
      contractMethod: null,
      contractInputsValues: null,
    })),
  };
  // The app leaves the name out, because people rename files.
  const hashed = canonicalText({ ...batch, meta: { ...meta, name: null } });
  const checksum = toHex(keccak256(new TextEncoder().encode(hashed)));
  return { ...batch, meta: { ...meta, checksum } };
}

/** Parameter of `wallet_sendCalls` (EIP-5792). */
export interface SendCallsRequest {
  readonly version: '2.0.0';
  readonly id: string;
  readonly from: string;
  readonly chainId: Hex;
  readonly atomicRequired: true;
  readonly calls: readonly { readonly to: string; readonly data: string; readonly value: Hex }[];
}

/**
 * Request to a wallet to send these calls in their order: all of them, or none.
 * @param by.from account that the calls were prepared for.
 * @param by.id name of the request, which the wallet takes once and is asked for afterwards; never the same again.
 * @throws {RangeError} if there is no call, or they are of several chains.
 */
export function sendCallsRequest(
  calls: readonly PreparedCall[],
  { from, id }: Pick<SendCallsRequest, 'from' | 'id'>,
): SendCallsRequest {
  return {
    version: '2.0.0',
    id,
    from,
    chainId: `0x${chainOf(calls).toString(16)}`,
    atomicRequired: true,
    calls: calls.map(({ to, data, value }) => ({
      to,
      data,
      value: `0x${BigInt(value).toString(16)}`,
    })),
  };
}

function chainOf(calls: readonly PreparedCall[]): number {
  const [chainId, ...others] = new Set(calls.map((call) => call.chainId));
  if (chainId === undefined) throw new RangeError('There is no call.');
  if (others.length > 0) throw new RangeError('The calls are of several chains.');
  return chainId;
}

/** Address with its checksum (EIP-55), which Safe's service requires. */
function checksumAddress(keccak256: Keccak256, address: string): Hex {
  const digits = address.slice(2).toLowerCase();
  const hash = toHex(keccak256(new TextEncoder().encode(digits))).slice(2);
  const cased = [...digits].map((digit, i) =>
    Number.parseInt(hash.charAt(i), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${cased.join('')}`;
}

/** JSON with sorted names, in the form that the Transaction Builder hashes: each object begins with the list of them. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = JSON.stringify(members.map(([name]) => name));
  return `{${names}${members.map(([, member]) => `${canonicalText(member)},`).join('')}}`;
}
