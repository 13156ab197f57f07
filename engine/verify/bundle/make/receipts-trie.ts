import { createMerkleProof, MerklePatriciaTrie } from '@ethereumjs/mpt';
import { bytesToHex } from 'viem';
import type { Hex } from '../../../core/events.ts';
import { receiptKey } from '../prove.ts';

/** The receipts trie of a block. */
export interface ReceiptsTrie {
  readonly root: Hex;
  /** The nodes on the paths to these receipts, each once, in the order of the first visit. */
  nodesTo(transactionIndexes: readonly number[]): Promise<Hex[]>;
}

/**
 * Builds the receipts trie of a block.
 * @param receipts all receipts of the block, encoded, in order.
 */
export async function receiptsTrie(receipts: readonly Uint8Array[]): Promise<ReceiptsTrie> {
  const trie = new MerklePatriciaTrie();
  for (const [i, receipt] of receipts.entries()) await trie.put(receiptKey(i), receipt);
  return {
    root: bytesToHex(trie.root()),
    async nodesTo(transactionIndexes) {
      const nodes = new Set<Hex>();
      for (const index of transactionIndexes) {
        const proof = await createMerkleProof(trie, receiptKey(index));
        for (const node of proof) nodes.add(bytesToHex(node));
      }
      return [...nodes];
    },
  };
}
