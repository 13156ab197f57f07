import { numberToHex } from 'viem';
import { PUBLIC_RPC_META } from '../../../engine/contract/pages.ts';
import { publicRpcsOf } from '../rpc/public-rpcs.ts';

/** A chain as a wallet takes it (EIP-3085). */
export interface NewChain {
  readonly chainId: string;
  readonly chainName: string;
  readonly nativeCurrency: {
    readonly name: string;
    readonly symbol: string;
    readonly decimals: 18;
  };
  readonly rpcUrls: readonly string[];
}

const NAMES: Readonly<Record<number, string>> = {
  1: 'Ethereum',
  10: 'OP Mainnet',
  137: 'Polygon PoS',
  8453: 'Base',
  31337: 'Local chain',
  42161: 'Arbitrum One',
  84532: 'Base Sepolia',
  11155111: 'Sepolia',
};

/** Symbols of currencies other than ether: wallets compare them with lists of chains. */
const SYMBOLS: Readonly<Record<number, string>> = {
  56: 'BNB',
  100: 'xDAI',
  137: 'POL',
  42220: 'CELO',
  43114: 'AVAX',
};

/** Name of a chain for people. */
export const chainName = (chainId: number): string => NAMES[chainId] ?? `Chain ${chainId}`;

/**
 * A chain with an RPC that its wallet may ask: the one that the operator published, or public ones of well-known chains.
 * @returns `undefined` if no such RPC is known.
 */
export function newChain(chainId: number): NewChain | undefined {
  const rpcUrls = [...publishedRpc(), ...publicRpcsOf(chainId)];
  if (rpcUrls.length === 0) return undefined;
  const symbol = SYMBOLS[chainId] ?? 'ETH';
  return {
    chainId: numberToHex(chainId),
    chainName: chainName(chainId),
    nativeCurrency: { name: symbol === 'ETH' ? 'Ether' : symbol, symbol, decimals: 18 },
    rpcUrls,
  };
}

/** The RPC that the operator published for wallets, as the service named it in this page. */
function publishedRpc(): readonly string[] {
  if (typeof document === 'undefined') return [];
  const meta = document.querySelector<HTMLMetaElement>(`meta[name="${PUBLIC_RPC_META}"]`);
  return meta?.content ? [meta.content] : [];
}
