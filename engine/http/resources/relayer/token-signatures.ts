import {
  type Abi,
  hashDomain,
  keccak256,
  type PublicClient,
  parseAbi,
  stringToBytes,
  zeroHash,
} from 'viem';
import { isContractFailure } from '../../../chain/errors.ts';
import type { Address, Hex } from '../../../core/events.ts';
import { domainFields, tokenStructs } from '../../../core/signed-structs.ts';
import type { AppDeps } from '../../deps.ts';
import { READ_GAS, strangerCalls } from '../../limits/stranger-code.ts';
import { CHAIN_ANSWER_MS, withTimeout } from '../../limits/with-timeout.ts';

/** EIP-712 domain of a token. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Address;
}

/** By which signatures a token can be paid with; both false also for one whose domain is not known. */
export interface TokenSignatures {
  readonly domain: TokenDomain | null;
  /** EIP-3009. */
  readonly authorization: boolean;
  /** EIP-2612. */
  readonly permit: boolean;
}

const abi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function eip712Domain() view returns (bytes1, string, string, uint256, address, bytes32, uint256[])',
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function authorizationState(address, bytes32) view returns (bool)',
  'function nonces(address) view returns (uint256)',
  'function RECEIVE_WITH_AUTHORIZATION_TYPEHASH() view returns (bytes32)',
  'function PERMIT_TYPEHASH() view returns (bytes32)',
]);

function typeHash(name: keyof typeof tokenStructs): Hex {
  const fields = tokenStructs[name].map((field) => `${field.type} ${field.name}`);
  return keccak256(stringToBytes(`${name}(${fields.join(',')})`));
}

/** Fields `name`, `version`, `chainId` and `verifyingContract` of EIP-5267. */
const ALL_BUT_SALT = '0x0f';
/** Characters of a domain's name and version. */
const MAX_CHARACTERS = 100;

/** Tokens whose answers are stored, and for how long, milliseconds: an issuer can replace a token's code. */
const MAX_STORED = 1_000;
const STORED_MS = 600_000;

interface Stored {
  readonly until: number;
  readonly signatures: TokenSignatures;
}
const stored = new WeakMap<PublicClient, Map<string, Stored>>();

/**
 * Asks a token by which signatures it can be paid with, and judges its answers: its domain separator must be that of the
 * name and version that it reports. `null` if the chain did not answer.
 */
export async function tokenSignatures(
  deps: Pick<AppDeps, 'client' | 'strangersClient' | 'deployment' | 'clock'>,
  token: Address,
): Promise<TokenSignatures | null> {
  const known = stored.get(deps.client) ?? new Map<string, Stored>();
  stored.set(deps.client, known);
  const key = `${deps.deployment.chainId} ${token}`;
  const found = known.get(key);
  if (found !== undefined && found.until > deps.clock()) return found.signatures;
  const signatures = await ask(deps, token);
  if (signatures === null) return null;
  known.delete(key);
  const [oldest] = known.keys();
  if (known.size >= MAX_STORED && oldest !== undefined) known.delete(oldest);
  known.set(key, { signatures, until: deps.clock() + STORED_MS });
  return signatures;
}

type Question = Extract<(typeof abi)[number], { type: 'function' }>['name'];

async function ask(
  deps: Pick<AppDeps, 'client' | 'strangersClient' | 'deployment'>,
  token: Address,
): Promise<TokenSignatures | null> {
  const { client } = strangerCalls(deps, {
    ...{ deadlineMs: CHAIN_ANSWER_MS, maxRequests: 8, maxGas: READ_GAS },
  });
  const { chainId, contractAddress } = deps.deployment;
  const read = async (functionName: Question, args: readonly unknown[] = []) =>
    await client
      .readContract({ address: token, abi: abi as Abi, functionName, args })
      .catch((error: unknown) => {
        if (isContractFailure(error)) return undefined;
        throw error;
      });
  const answers = Promise.all([
    read('DOMAIN_SEPARATOR'),
    read('eip712Domain'),
    read('name'),
    read('version'),
    read('authorizationState', [contractAddress, zeroHash]),
    read('nonces', [contractAddress]),
    read('RECEIVE_WITH_AUTHORIZATION_TYPEHASH'),
    read('PERMIT_TYPEHASH'),
  ]);
  try {
    const [separator, reported, name, version, used, nonce, receiveHash, permitHash] =
      await withTimeout(answers, CHAIN_ANSWER_MS);
    const domain = candidates(reported, name, version)
      .map((one) => ({ ...one, chainId, verifyingContract: token }))
      .find((one) => separatorOf(one) === separator);
    if (domain === undefined) return { domain: null, authorization: false, permit: false };
    const isHash = (answer: unknown, struct: keyof typeof tokenStructs) =>
      answer === undefined || answer === typeHash(struct);
    return {
      domain,
      authorization: used === false && isHash(receiveHash, 'ReceiveWithAuthorization'),
      permit: typeof nonce === 'bigint' && isHash(permitHash, 'Permit'),
    };
  } catch {
    return null;
  }
}

/** Names and versions that the token's domain may have. */
function candidates(reported: unknown, name: unknown, version: unknown) {
  const pairs: (readonly [unknown, unknown])[] = [
    ...(Array.isArray(reported) && reported[0] === ALL_BUT_SALT
      ? [[reported[1], reported[2]] as const]
      : []),
    [name, version],
    // Permits without a version of their own have version 1 (EIP-2612).
    [name, '1'],
  ];
  return pairs.flatMap(([of, at]) =>
    isShort(of) && isShort(at) ? [{ name: of, version: at }] : [],
  );
}

function isShort(text: unknown): text is string {
  return typeof text === 'string' && text.length > 0 && text.length <= MAX_CHARACTERS;
}

function separatorOf({ chainId, ...domain }: TokenDomain): Hex {
  return hashDomain({
    domain: { ...domain, chainId: BigInt(chainId) },
    types: { EIP712Domain: [...domainFields] },
  });
}

/** Next nonce of a permit of the account; `null` if the token or the chain does not answer. */
export async function permitNonce(
  deps: Pick<AppDeps, 'client' | 'strangersClient'>,
  token: Address,
  owner: Address,
): Promise<bigint | null> {
  const { client } = strangerCalls(deps, {
    ...{ deadlineMs: CHAIN_ANSWER_MS, maxRequests: 1, maxGas: READ_GAS },
  });
  const nonce = client.readContract({
    ...{ address: token, abi, functionName: 'nonces', args: [owner] },
  });
  return await withTimeout(nonce, CHAIN_ANSWER_MS).catch(() => null);
}
