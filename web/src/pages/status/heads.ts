/** Heads in `system.status`; block numbers are decimal digits. */
interface Heads {
  readonly chain: { readonly number: string } | null;
  readonly indexed: { readonly number: string } | null;
  readonly settled: { readonly number: string } | null;
  readonly safe: string | null;
  readonly finalized: string | null;
}

/** How far one part is. */
export interface Head {
  readonly name: 'chain' | 'indexed' | 'settled' | 'safe' | 'finalized';
  readonly block: bigint | null;
  /** Blocks from the chain’s head to it; null where one of them is not known. */
  readonly behind: bigint | null;
  readonly meaning: string;
}

const meaning = {
  chain: 'The newest block of the chain.',
  indexed: 'Events up to it are indexed.',
  settled: 'Everything up to it is settled. These pages are as of it.',
  safe: 'A reorg below it is unlikely.',
  finalized: 'It stays on the chain.',
} as const;

/** The heads in the order in which the data flows. */
export function headsOf({ chain, indexed, settled, safe, finalized }: Heads): Head[] {
  const blocks = {
    chain: chain?.number ?? null,
    indexed: indexed?.number ?? null,
    settled: settled?.number ?? null,
    safe,
    finalized,
  };
  const newest = blocks.chain === null ? null : BigInt(blocks.chain);
  return (['chain', 'indexed', 'settled', 'safe', 'finalized'] as const).map((name): Head => {
    const number = blocks[name];
    const block = number === null ? null : BigInt(number);
    const behind = newest === null || block === null ? null : newest - block;
    return {
      name,
      block,
      behind: behind !== null && behind < 0n ? 0n : behind,
      meaning: meaning[name],
    };
  });
}
