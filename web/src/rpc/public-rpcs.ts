/** Public RPCs that web pages may ask, for well-known chains: a suggestion, which the reader can replace. */
const PUBLIC_RPCS: Readonly<Record<number, readonly string[]>> = {
  1: ['https://ethereum-rpc.publicnode.com', 'https://eth.drpc.org'],
  10: ['https://mainnet.optimism.io', 'https://optimism-rpc.publicnode.com'],
  137: ['https://polygon-bor-rpc.publicnode.com', 'https://polygon.drpc.org'],
  8453: ['https://mainnet.base.org', 'https://base-rpc.publicnode.com'],
  42161: ['https://arb1.arbitrum.io/rpc', 'https://arbitrum-one-rpc.publicnode.com'],
  84532: ['https://sepolia.base.org', 'https://base-sepolia-rpc.publicnode.com'],
  11155111: ['https://ethereum-sepolia-rpc.publicnode.com', 'https://sepolia.drpc.org'],
};

/** Public RPCs of a chain; none if the chain is not well known. */
export function publicRpcsOf(chainId: number): readonly string[] {
  return PUBLIC_RPCS[chainId] ?? [];
}
