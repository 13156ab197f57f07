import type { TransactionReceipt } from 'viem';
import { missingOf } from '../chain/answer.ts';
import type { ChainFacts } from '../chain/facts.ts';
import { differences } from '../compare.ts';
import { conclude } from '../conclude.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/**
 * The sale's transaction succeeded, its log is in the receipt, the block is the one that the chain
 * has at that height, and the receipt serves that very place (design §6).
 */
export function checkTransaction({ facts, served }: Subject): Check {
  const { place } = facts.record;
  const { receipt, block } = facts;
  return conclude('transaction', {
    pass: `Transaction ${place.transactionHash} succeeded in block ${place.blockNumber}, which the chain has at that height.`,
    problems: [
      ...(block.ok ? blockProblems(facts, block.value.hash) : []),
      ...(receipt.ok ? receiptProblems(facts, receipt.value) : []),
    ],
    differences: served ? differences('record', { ...place }, served.record) : [],
    missing: missingOf(receipt, block),
    evidence: {
      ...place,
      blockHashAtHeight: block.ok ? block.value.hash : null,
      receiptBlockHash: receipt.ok ? receipt.value.blockHash : null,
      receiptStatus: receipt.ok ? receipt.value.status : null,
    },
  });
}

function blockProblems({ record, receipt }: ChainFacts, hash: string): string[] {
  const { blockNumber, blockHash } = record.place;
  const problems: string[] = [];
  if (!isSame(blockHash, hash)) {
    problems.push(
      `The sale stood in block ${blockHash}, but the chain has ${hash} at height ${blockNumber}.`,
    );
  }
  if (receipt.ok && !isSame(receipt.value.blockHash, hash)) {
    problems.push(
      `The transaction’s receipt names block ${receipt.value.blockHash}, but the chain has ${hash} at height ${blockNumber}.`,
    );
  }
  return problems;
}

function receiptProblems({ record }: ChainFacts, receipt: TransactionReceipt): string[] {
  const { transactionHash, logIndex } = record.place;
  const problems: string[] = [];
  if (receipt.status !== 'success') {
    problems.push(`Transaction ${transactionHash} reverted.`);
  }
  const log = receipt.logs.find((candidate) => candidate.logIndex === logIndex);
  const isThere =
    log !== undefined &&
    isSame(log.data, record.data) &&
    isSame(log.topics.join(), record.topics.join());
  if (!isThere) {
    problems.push(`The receipt of ${transactionHash} does not hold the sale’s log ${logIndex}.`);
  }
  return problems;
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
