/**
 * Facts of a public chain, and the presets for it (docs/reference/networks.md), as of 2026. Comments name the sources;
 * what has none is from the chain's documentation.
 */
export interface KnownChain {
  readonly chainId: number;
  readonly name: string;
  /** Milliseconds between two blocks. */
  readonly blockMs: number;
  /** Gas that a block can hold; without it, the chain has no fixed one or none was found. */
  readonly gasLimit?: number;
  /** Blocks that `tributary deploy` waits for: more than a reorg that was seen, or enough for RPCs that lag. */
  readonly confirmations: number;
  /** Fields of a block's header: those of Ethereum, others too, or no header that hashes to the block's hash. */
  readonly header: 'Ethereum' | 'Coreth' | 'none';
  /** Sentence fragment: when a block is `finalized`. Each of these chains has the tag. */
  readonly finalized: string;
}

const BATCH_IS_FINAL = 'when its batch is in a final block of Ethereum';

/** Chains in the order of the table. */
export const knownChains: readonly KnownChain[] = [
  {
    chainId: 1,
    name: 'Ethereum',
    header: 'Ethereum',
    // https://eips.ethereum.org/EIPS/eip-7935
    blockMs: 12_000,
    gasLimit: 60_000_000,
    confirmations: 3,
    finalized: 'after two epochs, about 13 minutes',
  },
  {
    chainId: 8_453,
    name: 'Base',
    header: 'Ethereum',
    // https://github.com/l2beat/l2beat/pull/6107
    blockMs: 2_000,
    gasLimit: 400_000_000,
    confirmations: 3,
    finalized: BATCH_IS_FINAL,
  },
  {
    chainId: 10,
    name: 'OP Mainnet',
    header: 'Ethereum',
    // Block 151,534,212.
    blockMs: 2_000,
    gasLimit: 40_000_000,
    confirmations: 3,
    finalized: BATCH_IS_FINAL,
  },
  {
    chainId: 42_161,
    name: 'Arbitrum One',
    header: 'Ethereum',
    // https://docs.arbitrum.io/build-decentralized-apps/reference/chain-params
    blockMs: 250,
    gasLimit: 32_000_000,
    confirmations: 3,
    finalized: BATCH_IS_FINAL,
  },
  {
    chainId: 137,
    name: 'Polygon PoS',
    header: 'Ethereum',
    // https://coinmarketcap.com/cmc-ai/polygon-ecosystem-token/latest-updates/: 3,800 transfers a second.
    blockMs: 1_750,
    gasLimit: 140_000_000,
    confirmations: 16,
    finalized: 'at a milestone of its validators',
  },
  {
    chainId: 56,
    name: 'BNB Smart Chain',
    header: 'Ethereum',
    // BEP-619, and blocks of August 2026, in which reorgs had up to 8 blocks.
    blockMs: 450,
    gasLimit: 55_000_000,
    confirmations: 9,
    finalized: 'after votes, about two blocks',
  },
  {
    chainId: 100,
    name: 'Gnosis',
    header: 'Ethereum',
    // Block 40,000,000.
    blockMs: 5_000,
    gasLimit: 17_000_000,
    confirmations: 3,
    finalized: 'after two epochs',
  },
  {
    // Its validators choose block time and gas limit (ACP-226, ACP-176).
    chainId: 43_114,
    name: 'Avalanche C-Chain',
    header: 'Coreth',
    blockMs: 1_000,
    confirmations: 1,
    finalized: 'when it is accepted',
  },
  {
    chainId: 42_220,
    name: 'Celo',
    header: 'Ethereum',
    // https://docs.celo.org/specs/deployments
    blockMs: 1_000,
    gasLimit: 30_000_000,
    confirmations: 3,
    finalized: BATCH_IS_FINAL,
  },
  {
    chainId: 59_144,
    name: 'Linea',
    header: 'Ethereum',
    blockMs: 1_000,
    confirmations: 3,
    finalized: 'when it is proven on Ethereum, hours later',
  },
  {
    chainId: 324,
    name: 'zkSync Era',
    header: 'none',
    blockMs: 1_000,
    confirmations: 1,
    finalized: 'when it is executed on Ethereum, hours later',
  },
];

const byId = new Map(knownChains.map((chain) => [chain.chainId, chain]));

/** A chain's facts and presets; none for a chain that is not in the table. */
export function knownChain(chainId: number): KnownChain | undefined {
  return byId.get(chainId);
}

/** Sentence why a chain can have no receipt bundles; none if it can, or is not known. */
export function whyNoBundles(chainId: number): string | undefined {
  const chain = knownChain(chainId);
  if (chain?.header !== 'none') return undefined;
  return `A block’s hash on ${chain.name} is not that of an Ethereum header, so no bundle can prove a receipt there: verify it with RPCs instead.`;
}

/** Blocks that come faster than this are read in ranges: a range without events costs the same however many blocks it has. */
const MIN_BLOCK_MS = 1_000;
/** Polling interval of a chain with faster blocks. */
const FAST_POLLING_MS = 2_000;
/** Largest polling interval, also for a chain whose block time cannot be read. */
export const MAX_POLLING_MS = 4_000;

/** Milliseconds between two polls for new blocks: the block time, because providers count each poll. */
export function pollingIntervalOf(blockMs: number): number {
  if (blockMs < MIN_BLOCK_MS) return FAST_POLLING_MS;
  return Math.round(Math.min(blockMs, MAX_POLLING_MS)) || MAX_POLLING_MS;
}
