import {
  type Address,
  type Hex,
  hashMessage,
  isAddressEqual,
  type PublicClient,
  parseAbi,
  recoverMessageAddress,
} from 'viem';
import type { AppDeps } from '../deps.ts';
import { HttpError, notReady } from '../errors.ts';
import { strangerCalls } from '../limits/stranger-code.ts';
import { networkOf } from '../network-address.ts';

/** Milliseconds that the RPC may take to check one signature, unless configured. */
const DEADLINE_MS = 5_000;
/** RPC requests that one signature may cost. */
const MAX_REQUESTS = 8;

/** Concurrent checks of contract wallets' signatures: in this process, and for one network. */
const MAX_CONCURRENT = 8;
const MAX_CONCURRENT_OF_NETWORK = 2;

/** Message with the account that claims to have signed it. */
export interface Signed {
  readonly address: Address;
  readonly message: string;
  readonly signature: Hex;
}

/** True if the account signed the message with its key. It needs no RPC request. */
export async function isSignedByKey({ address, message, signature }: Signed): Promise<boolean> {
  // viem throws for a malformed signature, which is simply a wrong one.
  const signer = await recoverMessageAddress({ message, signature }).catch(() => undefined);
  return signer !== undefined && isAddressEqual(signer, address);
}

/**
 * True if a contract wallet confirms that the message is signed: by ERC-1271 or, if it is not deployed
 * yet, by ERC-6492. The wallet is a stranger's code, so it runs within limits (`strangerCalls`).
 * @throws {HttpError} NOT_READY if the chain did not answer.
 */
export async function isSignedByWallet(
  deps: Pick<AppDeps, 'client' | 'strangersClient' | 'signatureMs'>,
  { address, message, signature }: Signed,
): Promise<boolean> {
  const bounds = { deadlineMs: deps.signatureMs ?? DEADLINE_MS, maxRequests: MAX_REQUESTS };
  const { client, outage } = strangerCalls(deps, bounds);
  const check =
    signature === '0x'
      ? isApproved(client, address, message)
      : client.verifyMessage({ address, message, signature, mode: 'eoa' });
  const signed = await check.catch(() => false);
  if (signed || !outage()) return signed;
  const text = 'The chain is not answering: get a new nonce and try again.';
  throw notReady('chain', text);
}

/**
 * True if a contract wallet has approved the message on the chain, and so needs no signature (ERC-1271). The
 * validator of ERC-6492, which viem uses, reverts for a signature without an end.
 */
async function isApproved(
  client: PublicClient,
  address: Address,
  message: string,
): Promise<boolean> {
  const answer = await client.readContract({
    address,
    abi: ERC1271,
    functionName: 'isValidSignature',
    args: [hashMessage(message), '0x'],
  });
  return answer === ERC1271_MAGIC;
}

const ERC1271 = parseAbi(['function isValidSignature(bytes32, bytes) view returns (bytes4)']);
/** A wallet's answer that a signature is its own (ERC-1271). */
const ERC1271_MAGIC = '0x1626ba7e';

/** Numbers of running checks, in total and by network. */
const counts = new Map<string, number>();
const ALL = '';

/**
 * Runs a check of a contract wallet's signature if not too many are running.
 * @param ip of the client: one network may use only a part of the limit.
 * @throws {HttpError} RATE_LIMITED otherwise, before the check starts.
 */
export async function amongWalletChecks<T>(ip: string, work: () => Promise<T>): Promise<T> {
  const network = `network ${networkOf(ip)}`;
  if (countOf(ALL) >= MAX_CONCURRENT || countOf(network) >= MAX_CONCURRENT_OF_NETWORK) {
    throw new HttpError(
      'RATE_LIMITED',
      'Too many signatures of contract wallets are being checked: try again.',
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
