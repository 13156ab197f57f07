import {
  createWalletClient,
  custom,
  type EIP1193RequestFn,
  type Hex,
  hexToString,
  isHex,
  numberToHex,
  type TypedDataDefinition,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { parseSiweMessage } from 'viem/siwe';
import {
  type DemoAccount,
  type DemoPerson,
  type DemoRole,
  demoPaths,
  demoRpcMethods,
} from '../../../engine/contract/demo.ts';
import { localChain } from './local-chain.ts';

/** Codes of EIP-1193 and EIP-3326. */
const codes = { unauthorized: 4100, unsupported: 4200, unknownChain: 4902 } as const;

/** The test wallet refuses a request. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(
    message: string,
    readonly code: number = codes.unauthorized,
  ) {
    super(message);
  }
}

/** An error of the local chain, with what the contract said. */
class NodeError extends Error {
  override readonly name = 'NodeError';

  constructor(
    message: string,
    readonly code: number | undefined,
    readonly data: unknown,
  ) {
    super(message);
  }
}

type Request = { readonly method: string; readonly params?: readonly unknown[] };

const made = new Map<DemoRole, { request(call: Request): Promise<unknown> }>();

/**
 * A wallet (EIP-1193) that signs with a test key of the sample, without asking. It signs for the local chain alone: it
 * reaches no chain but the one behind this page, and asks that one for its id before each signature.
 */
export function testWallet(person: DemoPerson) {
  const { role } = person;
  const known = made.get(role);
  if (known !== undefined) return known;
  let account: Promise<PrivateKeyAccount> | undefined;
  const signer = async () => {
    account ??= accountOf(person).catch((error: unknown) => {
      account = undefined;
      throw error;
    });
    return await account;
  };
  const wallet = { request: async (call: Request) => await answer(call, signer) };
  made.set(role, wallet);
  return wallet;
}

async function answer(
  { method, params = [] }: Request,
  signer: () => Promise<PrivateKeyAccount>,
): Promise<unknown> {
  const [first, second] = params;
  switch (method) {
    case 'eth_accounts':
    case 'eth_requestAccounts':
      return [(await signer()).address];
    case 'personal_sign':
      await confirmChain();
      return await (await signer()).signMessage({ message: signInText(first) });
    case 'eth_signTypedData_v4':
      await confirmChain();
      return await (await signer()).signTypedData(typedData(second));
    case 'eth_sendTransaction':
      await confirmChain();
      return await send(await signer(), first);
    case 'wallet_switchEthereumChain':
      if (fieldOf(first, 'chainId') === numberToHex(localChain.id)) return null;
      throw new RefusedError('The test wallet knows no other chain.', codes.unknownChain);
    default:
      if ((demoRpcMethods as readonly string[]).includes(method)) return await ask(method, params);
      throw new RefusedError(`The test wallet has no ${method}.`, codes.unsupported);
  }
}

/** Key of a role, from the service that runs the local chain. */
async function accountOf({ role, address }: DemoPerson): Promise<PrivateKeyAccount> {
  await confirmChain();
  const response = await fetch(demoPaths.accounts);
  if (!response.ok) throw new RefusedError('This service has no demo any more.');
  const { data } = (await response.json()) as { readonly data: readonly DemoAccount[] };
  const found = data.find((one) => one.role === role);
  const account = found && privateKeyToAccount(found.privateKey);
  if (account?.address.toLowerCase() === address.toLowerCase()) return account;
  throw new RefusedError('This page is older than the demo: load it again.');
}

/** @throws {RefusedError} unless the chain behind this page is the local one now. */
async function confirmChain(): Promise<void> {
  const chainId = Number(await ask('eth_chainId', []));
  if (chainId === localChain.id) return;
  throw new RefusedError(
    `The test wallet signs for chain ${localChain.id}, and not for ${chainId}.`,
  );
}

/** A text to sign, if it signs in at this page on the local chain (EIP-4361). */
function signInText(hex: unknown): string {
  const text = isHex(hex) ? hexToString(hex) : '';
  const { domain, chainId } = parseSiweMessage(text);
  if (domain === location.host && chainId === localChain.id) return text;
  throw new RefusedError('The test wallet signs only texts of this page and its local chain.');
}

function typedData(json: unknown): TypedDataDefinition {
  const data = JSON.parse(typeof json === 'string' ? json : '{}') as TypedDataDefinition;
  if (Number(data.domain?.chainId) === localChain.id) return data;
  throw new RefusedError(`The test wallet signs only data of chain ${localChain.id}.`);
}

async function send(account: PrivateKeyAccount, call: unknown): Promise<Hex> {
  const chainId = fieldOf(call, 'chainId');
  if (chainId !== undefined && Number(chainId) !== localChain.id) {
    throw new RefusedError(`The test wallet sends nothing to chain ${Number(chainId)}.`);
  }
  const client = createWalletClient({
    account,
    chain: localChain,
    transport: custom(
      {
        request: (async ({ method, params }: Request) =>
          await ask(method, params ?? [])) as EIP1193RequestFn,
      },
      { retryCount: 0 },
    ),
  });
  return await client.sendTransaction({
    to: hexOf(fieldOf(call, 'to')),
    data: hexOf(fieldOf(call, 'data') ?? '0x'),
    value: BigInt(hexOf(fieldOf(call, 'value') ?? '0x0')),
  });
}

/** Calls the local chain through the service. */
async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(demoPaths.rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }, (_key, value: unknown) =>
      typeof value === 'bigint' ? numberToHex(value) : value,
    ),
  });
  const { result, error } = (await response.json()) as {
    readonly result?: unknown;
    readonly error?: { readonly message: string; readonly code?: number; readonly data?: unknown };
  };
  if (error === undefined) return result;
  throw new NodeError(error.message, response.ok ? error.code : undefined, error.data);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function hexOf(value: unknown): Hex {
  if (isHex(value)) return value;
  throw new RefusedError(`The page gave the test wallet ${String(value)}, and not hex digits.`);
}
