import type { Address } from '../../../../../engine/core/events.ts';
import { knownContract } from '../../../../../engine/verify/known-contracts.ts';
import type { Wallet } from '../../../account/wallet.ts';
import { publicRpcsOf } from '../../../rpc/public-rpcs.ts';
import { hostOf, rpcUrlProblem } from '../../../rpc/rpc-url.ts';
import { removeValue, storedValue, storeValue } from '../../../storage.ts';

/** Where the chain is read from: an address, or a wallet of the browser. */
export type Rpc =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'wallet'; readonly name: string; readonly wallet: Wallet };

/** An RPC and a contract that a reader trusts instead of us. */
export interface Trust {
  readonly rpc: Rpc;
  readonly contractAddress: Address;
  /** Who says that it is the right contract. The service itself can name one that only looks alike. */
  readonly contractFrom: ContractSource;
  /** Decimal digits. */
  readonly fromBlock: string;
}

/** Who named the contract: the reader, this version of the page, or the service that is checked. */
export type ContractSource = 'reader' | 'build' | 'service';

/** The fields as the reader writes them. */
export interface TrustFields {
  readonly rpcUrl: string;
  /** Asked instead of the address, if the reader chose it. */
  readonly wallet: { readonly name: string; readonly wallet: Wallet } | undefined;
  readonly contract: string;
  readonly contractFrom: ContractSource;
  readonly fromBlock: string;
}

/** Messages about invalid fields. */
export type TrustProblems = Partial<Record<'rpcUrl' | 'contract' | 'fromBlock', string>>;

/** The values without anything that the reader entered. */
export function servicesValues(chainId: number, servedContract: string): TrustFields {
  const [rpcUrl = ''] = publicRpcsOf(chainId);
  const known = knownContract(chainId);
  return {
    rpcUrl,
    wallet: undefined,
    contract: known ?? servedContract,
    contractFrom: known === undefined ? 'service' : 'build',
    fromBlock: '0',
  };
}

/** The values of a link (`#rpc=…`), else those that worked before, else the service's. */
export function firstFields(chainId: number, servedContract: string): TrustFields {
  const service = servicesValues(chainId, servedContract);
  const stored = storedValue(`contract.${chainId}`);
  return {
    ...service,
    rpcUrl: rpcInLink() ?? storedValue(`rpc.${chainId}`) ?? service.rpcUrl,
    ...(stored !== undefined && { contract: stored, contractFrom: 'reader' as const }),
    fromBlock: storedValue(`from.${chainId}`) ?? service.fromBlock,
  };
}

/** Reads the fields. `trust` is there if nothing is wrong with them. */
export function readTrust(fields: TrustFields): {
  readonly trust: Trust | undefined;
  readonly problems: TrustProblems;
} {
  const [url, contract, fromBlock] = [fields.rpcUrl, fields.contract, fields.fromBlock].map(
    (text) => text.trim(),
  ) as [string, string, string];
  const { wallet, contractFrom } = fields;
  const urlProblem = wallet === undefined ? rpcUrlProblem(url) : undefined;
  const problems: TrustProblems = {
    ...(urlProblem !== undefined && { rpcUrl: urlProblem }),
    ...(!isAddress(contract) && { contract: 'Enter 0x and 40 hexadecimal digits.' }),
    ...(!isBlock(fromBlock) && { fromBlock: 'Enter the number of a block.' }),
  };
  if (Object.keys(problems).length > 0) return { trust: undefined, problems };
  const rpc: Rpc = wallet ? { kind: 'wallet', ...wallet } : { kind: 'url', url };
  const contractAddress = contract.toLowerCase() as Address;
  return { trust: { rpc, contractAddress, contractFrom, fromBlock }, problems };
}

/**
 * Remembers values by which a receipt could be checked. Values that failed are not remembered, nor is a
 * contract that the service named: the next visit would take it for the reader's.
 */
export function rememberTrust(chainId: number, trust: Trust): void {
  const { rpc, contractAddress, contractFrom, fromBlock } = trust;
  if (rpc.kind === 'url') storeValue(`rpc.${chainId}`, rpc.url);
  if (contractFrom === 'reader') storeValue(`contract.${chainId}`, contractAddress);
  storeValue(`from.${chainId}`, fromBlock);
}

/** Forgets what the reader entered for a chain. */
export function forgetTrust(chainId: number): void {
  for (const name of ['rpc', 'contract', 'from']) removeValue(`${name}.${chainId}`);
}

/** Name of an RPC for a sentence. Of an address only the host: the rest may hold a key. */
export function rpcName(rpc: Rpc): string {
  return rpc.kind === 'url' ? hostOf(rpc.url) : `the RPC of ${rpc.name}`;
}

/** True if the reader named another contract than the service. */
export function isOtherContract(contract: string, servedContract: string): boolean {
  return contract.trim().toLowerCase() !== servedContract.toLowerCase();
}

/** `#rpc=…` of the address: a link may suggest an RPC, and no server ever sees what is behind #. */
function rpcInLink(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get('rpc') ?? undefined;
}

function isAddress(text: string): text is Address {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

function isBlock(text: string): boolean {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(text);
}
