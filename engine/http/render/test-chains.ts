/** Chain ids of development chains (Anvil, Hardhat, Ganache) and of public test networks. */
const testChains: ReadonlySet<number> = new Set([
  ...[1_337, 31_337],
  // Sepolia, Holesky, Hoodi.
  ...[11_155_111, 17_000, 560_048],
  // Base, Arbitrum, Optimism, Polygon, Gnosis, Linea, Scroll: their test networks.
  ...[84_532, 421_614, 11_155_420, 80_002, 10_200, 59_141, 534_351],
]);

/** True if tokens of the chain have no value, as far as is known. */
export function isTestChain(chainId: number): boolean {
  return testChains.has(chainId);
}
