import { LOCAL_CHAIN_ID } from '../../../chain/rpc-chain.ts';
import { type Ability, has, lacks, unknown } from '../ability.ts';
import type { Asker } from '../asker.ts';
import { blockIn, failureIn } from '../subject.ts';

/** The chain, and what its finality is compared with. */
interface FinalityOf {
  readonly chainId: number;
  /** Newest block. */
  readonly head: { readonly number: number };
  /** Blocks after which one counts as final, whatever the tags say. */
  readonly finalityBlocks?: number | undefined;
}

/** Asks for the newest safe and finalized blocks, unless blocks are counted instead. */
export async function finalityOf(
  asker: Asker,
  { chainId, head: { number: head }, finalityBlocks }: FinalityOf,
): Promise<Ability> {
  if (finalityBlocks !== undefined) {
    return has('finality', `by FINALITY_BLOCKS, ${finalityBlocks} behind the head`);
  }
  const tagged = (tag: string) => asker.ask('eth_getBlockByNumber', [tag, false]);
  const [safe, finalized] = await Promise.all([tagged('safe'), tagged('finalized')]);
  const [safeBlock, finalBlock] = [blockIn(safe), blockIn(finalized)];
  if (finalBlock !== undefined) {
    const final = `finalized ${behind(head, finalBlock.number)}`;
    if (safeBlock !== undefined) {
      return has('finality', `safe ${behind(head, safeBlock.number)}, ${final}`);
    }
    if (failureIn(safe)?.kind !== 'no') return unknown('finality', `${final}; safe is not known`);
    return lacks('finality', `${final}, no safe block`, {
      cost: 'Sales are shown as safe only when they are final.',
    });
  }
  const failure = failureIn(finalized);
  if (failure?.kind !== 'no') {
    return unknown('finality', `it ${failure?.reason ?? 'answers no block'}`);
  }
  if (chainId === LOCAL_CHAIN_ID) return has('finality', 'not used on a local chain');
  return lacks('finality', `no finalized block: it ${failure.reason}`, {
    cost: 'Blocks count as final at a depth that the indexer assumes for the chain.',
    set: {
      RPC_URL: 'an RPC with the tag, if the chain has one',
      FINALITY_BLOCKS: 'or a depth that no reorg reaches',
    },
  });
}

function behind(head: number, number: number): string {
  const blocks = head - number;
  return blocks <= 0 ? 'at the head' : `${blocks} behind the head`;
}
