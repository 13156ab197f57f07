import { type Address, type Hex, isAddressEqual, recoverMessageAddress } from 'viem';
import type { AppDeps } from '../deps.ts';
import { NotReadyError, TooManyAtOnceError } from '../errors.ts';
import { networkOf } from '../network-address.ts';
import { strangerCalls } from '../stranger-code.ts';

/** Milliseconds that the RPC may take over one signature, unless the app says otherwise. */
const DEADLINE_MS = 5_000;
/** Questions to the RPC that one signature may cost. */
const MAX_REQUESTS = 8;

/** Signatures of contract wallets that are checked concurrently: in this process, and of one network. */
const MAX_CONCURRENT = 8;
const MAX_CONCURRENT_OF_NETWORK = 2;

/** What somebody claims to have signed. */
export interface Signed {
  readonly address: Address;
  readonly message: string;
  readonly signature: Hex;
}

/** True if that account signed the message by its key. Asks nobody. */
export async function isSignedByKey({ address, message, signature }: Signed): Promise<boolean> {
  // viem throws for a signature that nothing can be made of: it is a wrong one.
  const signer = await recoverMessageAddress({ message, signature }).catch(() => undefined);
  return signer !== undefined && isAddressEqual(signer, address);
}

/**
 * True if a contract wallet says that the message is signed: by ERC-1271 or, if it is yet to be
 * deployed, by ERC-6492. The wallet is a stranger's code, and runs within bounds (`strangerCalls`).
 * @throws {NotReadyError} if the chain was asked and gave no answer.
 */
export async function isSignedByWallet(
  deps: Pick<AppDeps, 'client' | 'strangersClient' | 'signatureMs'>,
  { address, message, signature }: Signed,
): Promise<boolean> {
  const bounds = { deadlineMs: deps.signatureMs ?? DEADLINE_MS, maxRequests: MAX_REQUESTS };
  const { client, outage } = strangerCalls(deps, bounds);
  const signed = await client
    .verifyMessage({ address, message, signature, mode: 'eoa' })
    .catch(() => false);
  if (signed || !outage()) return signed;
  const text = 'The chain does not answer just now: ask for a new nonce and try again.';
  throw new NotReadyError([{ path: 'chain', message: text }]);
}

/** Counts of checks under way, in all and by network. */
const counts = new Map<string, number>();
const ALL = '';

/**
 * Does a check of a contract wallet's signature if not too many are under way.
 * @param ip of the client: one network has few of all places.
 * @throws {TooManyAtOnceError} otherwise, before anything is done.
 */
export async function amongWalletChecks<T>(ip: string, work: () => Promise<T>): Promise<T> {
  const network = `network ${networkOf(ip)}`;
  if (countOf(ALL) >= MAX_CONCURRENT || countOf(network) >= MAX_CONCURRENT_OF_NETWORK) {
    throw new TooManyAtOnceError(
      'Too many signatures of contract wallets are being checked just now: try again.',
    );
  }
  change(ALL, 1);
  change(network, 1);
  try {
    return await work();
  } finally {
    change(ALL, -1);
    change(network, -1);
  }
}

function countOf(key: string): number {
  return counts.get(key) ?? 0;
}

function change(key: string, by: 1 | -1): void {
  const count = countOf(key) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
