import { RLP } from '@ethereumjs/rlp';
import { bytesToHex, hexToBytes, keccak256 } from 'viem';
import type { Hex } from '../../core/events.ts';
import type { BundleHeaders } from './headers.ts';
import { ReceiptError, type ReceiptLog, readReceiptLogs } from './transaction-receipt.ts';
import { findInTrie, TrieError } from './trie.ts';
import type { BlockProof } from './types.ts';

/** A transaction receipt that its block's `receiptsRoot` commits to. */
export interface ProvenReceipt {
  readonly blockNumber: string;
  readonly blockHash: Hex;
  readonly transactionIndex: number;
  readonly logs: readonly ReceiptLog[];
}

/** The receipts that a bundle proves, and the problems of its proofs, as sentences. */
export interface ProvenReceipts {
  readonly receipts: readonly ProvenReceipt[];
  readonly problems: readonly string[];
}

/** Walks each proof from its block's `receiptsRoot` to the receipts. */
export function proveReceipts(
  proofs: readonly BlockProof[],
  { byNumber }: Pick<BundleHeaders, 'byNumber'>,
): ProvenReceipts {
  const receipts: ProvenReceipt[] = [];
  const problems: string[] = [];
  for (const proof of proofs) {
    const header = byNumber.get(proof.blockNumber);
    if (header === undefined) {
      problems.push(`Without the header of block ${proof.blockNumber} nothing in it is proven.`);
      continue;
    }
    try {
      receipts.push(...proveBlock(proof, header));
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      problems.push(error.message);
    }
  }
  return { receipts, problems };
}

/** Thrown if a proof does not hold; the message is a sentence. */
class ProofError extends Error {
  override readonly name = 'ProofError';
}

function proveBlock(
  { blockNumber, nodes, transactionIndexes }: BlockProof,
  { hash, receiptsRoot }: { readonly hash: Hex; readonly receiptsRoot: Hex },
): ProvenReceipt[] {
  const hashes = nodes.map((node) => keccak256(node));
  const known = new Map(nodes.map((node, i) => [hashes[i], hexToBytes(node)]));
  const met = new Set<Hex>();
  const nodeAt = (reference: Uint8Array) => {
    const nodeHash = bytesToHex(reference);
    const node = known.get(nodeHash);
    if (node !== undefined) met.add(nodeHash);
    return node;
  };
  const receipts = transactionIndexes.map((transactionIndex) => {
    const where = `The receipt of transaction ${transactionIndex} in block ${blockNumber}`;
    try {
      const found = findInTrie(hexToBytes(receiptsRoot), receiptKey(transactionIndex), nodeAt);
      if (found === undefined) throw new ProofError(`${where} is not there.`);
      const logs = readReceiptLogs(found);
      return { blockNumber, blockHash: hash, transactionIndex, logs };
    } catch (error) {
      if (error instanceof TrieError) {
        throw new ProofError(`${where} is not proven against ${receiptsRoot}: ${error.message}.`);
      }
      if (error instanceof ReceiptError) throw new ProofError(`${where} ${error.message}.`);
      throw error;
    }
  });
  // Exactly the visited nodes, in order of the first visit: none is unused or repeated.
  const order = [...met];
  if (order.length === nodes.length && hashes.every((nodeHash, i) => nodeHash === order[i])) {
    return receipts;
  }
  throw new ProofError(
    `The proof of block ${blockNumber} has ${nodes.length} nodes where the walks meet ${order.length}, or in another order.`,
  );
}

/** Key of a transaction's receipt in its block's receipts trie: RLP of its index. */
export function receiptKey(transactionIndex: number): Uint8Array {
  return RLP.encode(transactionIndex);
}
