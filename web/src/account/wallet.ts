import {
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  isAddress,
  isHash,
  isHex,
  numberToHex,
  stringToHex,
} from 'viem';
import { chainName, newChain } from './add-chain.ts';

/** A wallet of the browser, by EIP-1193. */
export interface Wallet {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

/** A transaction as the API hands it out. */
export interface UnsignedTransaction {
  readonly chainId: number;
  readonly to: string;
  readonly data: string;
  /** Wei, decimal digits. */
  readonly value: string;
}

/** A wallet's failure, in words. */
export class WalletError extends Error {
  override readonly name = 'WalletError';
}

/** The contract reverted a transaction: nothing of it happened. */
export class RevertedError extends WalletError {}

/** Codes of EIP-1193 and EIP-3326 that have a meaning of their own here. */
const REJECTED = 4001;
const UNKNOWN_CHAIN = 4902;

/** The wallet that the browser has; `undefined` where it has none. */
export function browserWallet(): Wallet | undefined {
  const found: unknown = Reflect.get(globalThis, 'ethereum');
  return isWallet(found) ? found : undefined;
}

function isWallet(found: unknown): found is Wallet {
  return (
    typeof found === 'object' &&
    found !== null &&
    'request' in found &&
    typeof found.request === 'function'
  );
}

/** Asks for the account that the reader chooses, checksummed. */
export async function chooseAccount(wallet: Wallet): Promise<`0x${string}`> {
  const accounts = await request(wallet, 'eth_requestAccounts');
  const first: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
  if (typeof first !== 'string' || !isAddress(first, { strict: false })) {
    throw new WalletError('The wallet named no account.');
  }
  return getAddress(first);
}

/** Lets the account sign a text (ERC-191, `personal_sign`). */
export async function signText(
  wallet: Wallet,
  account: string,
  text: string,
): Promise<`0x${string}`> {
  return signatureOf(await request(wallet, 'personal_sign', [stringToHex(text), account]));
}

/** Data to sign by EIP-712, with the struct of its domain among the types. */
export interface TypedData {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: string;
  };
  readonly primaryType: string;
  readonly types: Readonly<
    Record<string, readonly { readonly name: string; readonly type: string }[]>
  >;
  /** Integers are decimal digits. */
  readonly message: Readonly<Record<string, string>>;
}

/** Lets the account sign typed data (`eth_signTypedData_v4`), on the chain of its domain: wallets refuse other ones. */
export async function signTypedData(
  wallet: Wallet,
  account: string,
  data: TypedData,
): Promise<`0x${string}`> {
  await switchChain(wallet, data.domain.chainId);
  const params = [account, JSON.stringify(data)];
  return signatureOf(await request(wallet, 'eth_signTypedData_v4', params));
}

function signatureOf(signature: unknown): `0x${string}` {
  if (typeof signature !== 'string' || !/^0x(?:[0-9a-fA-F]{2})+$/.test(signature)) {
    throw new WalletError('The wallet gave no signature.');
  }
  return `0x${signature.slice(2)}`;
}

/** Lets the account sign and send a transaction, on its chain. Answers the transaction’s hash. */
export async function sendTransaction(
  wallet: Wallet,
  from: string,
  { chainId, to, data, value }: UnsignedTransaction,
): Promise<`0x${string}`> {
  await switchChain(wallet, chainId);
  const transaction = { from, to, data, value: numberToHex(BigInt(value)) };
  const hash = await request(wallet, 'eth_sendTransaction', [transaction]);
  if (typeof hash !== 'string' || !isHash(hash)) throw new WalletError('The wallet sent nothing.');
  return hash;
}

/**
 * Waits until a transaction is in a block.
 * @returns the number of that block.
 * @throws {RevertedError} if the contract reverted it.
 * @throws {WalletError} if the wallet does not answer.
 */
export async function receiptOf(wallet: Wallet, hash: string, pollMs: number): Promise<bigint> {
  for (;;) {
    const receipt = await request(wallet, 'eth_getTransactionReceipt', [hash]);
    if (typeof receipt === 'object' && receipt !== null) {
      const { status, blockNumber } = { status: '', blockNumber: '', ...receipt };
      if (status !== '0x1')
        throw new RevertedError(`The contract reverted the transaction ${hash}.`);
      return BigInt(blockNumber);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** The chain that the wallet is on, by its id (EIP-155). */
export async function chainOf(wallet: Wallet): Promise<number> {
  return Number(await request(wallet, 'eth_chainId'));
}

/** Balance of an account in a token on the wallet's chain, base units. */
export async function balanceOf(wallet: Wallet, token: string, account: string): Promise<bigint> {
  const call = { abi: erc20Abi, functionName: 'balanceOf' } as const;
  const data = encodeFunctionData({ ...call, args: [getAddress(account)] });
  const result = await request(wallet, 'eth_call', [{ to: token, data }, 'latest']);
  if (typeof result !== 'string' || !isHex(result) || result === '0x') {
    throw new WalletError('The wallet could not read the balance.');
  }
  return decodeFunctionResult({ ...call, data: result });
}

/** The accounts that the wallet shows to this page, in lower case. */
export async function accountsOf(wallet: Wallet): Promise<readonly string[]> {
  const accounts = await request(wallet, 'eth_accounts');
  if (!Array.isArray(accounts)) return [];
  return accounts.filter((one) => typeof one === 'string').map((one) => one.toLowerCase());
}

/**
 * Lets the wallet change to a chain. One that does not know the chain is asked to add it (EIP-3085).
 * @throws {WalletError} where the wallet is on another chain and stays there.
 */
export async function switchChain(wallet: Wallet, chainId: number): Promise<void> {
  const wantedChainId = numberToHex(chainId);
  if ((await request(wallet, 'eth_chainId')) === wantedChainId) return;
  const change = () => request(wallet, 'wallet_switchEthereumChain', [{ chainId: wantedChainId }]);
  try {
    await change();
  } catch (error) {
    if (!isUnknownChain(error)) throw error;
    const chain = newChain(chainId);
    if (chain === undefined) throw new WalletError(howToAdd(chainId), { cause: error });
    await request(wallet, 'wallet_addEthereumChain', [chain]);
    // Some wallets add a chain without changing to it.
    if ((await request(wallet, 'eth_chainId')) !== wantedChainId) await change();
  }
}

const howToAdd = (chainId: number): string =>
  `Your wallet does not know ${chainName(chainId)}. Add it in the wallet: enter the chain id ${chainId}, and an RPC address that the operator of this site names. Then try again.`;

/** True if a wallet refused because it does not know the chain. Some wrap the code of their extension. */
function isUnknownChain(error: unknown): boolean {
  if (!(error instanceof WalletError)) return false;
  const { cause } = error;
  const wrapped: unknown = fieldOf(fieldOf(cause, 'data'), 'originalError');
  return codeOf(cause) === UNKNOWN_CHAIN || codeOf(wrapped) === UNKNOWN_CHAIN;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** @throws {WalletError} with the reason in words. */
export async function request(
  wallet: Wallet,
  method: string,
  params?: readonly unknown[],
): Promise<unknown> {
  try {
    return await wallet.request(params === undefined ? { method } : { method, params });
  } catch (error) {
    throw new WalletError(reasonOf(error), { cause: error });
  }
}

/** Code of a wallet's failure; `undefined` if it has none. */
export function codeOf(error: unknown): unknown {
  return fieldOf(error, 'code');
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === REJECTED) return 'You rejected the request in your wallet.';
  if (code === UNKNOWN_CHAIN) return 'The wallet does not know this chain.';
  const message: unknown =
    typeof error === 'object' && error !== null && Reflect.get(error, 'message');
  return typeof message === 'string' ? message : 'The wallet failed.';
}
