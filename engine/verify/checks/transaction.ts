import type { TransactionReceipt } from 'viem';
import { missingOf } from '../chain/answer.ts';
import type { ChainFacts } from '../chain/facts.ts';
import { conclude, type FoundFields } from '../conclude.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/**
 * Checks that the sale's transaction succeeded, its receipt has the log, the chain has that block at that
 * height, and the served receipt names the same location.
 */
export function checkTransaction({ facts }: Subject, found: FoundFields): Check {
  const { location } = facts.record;
  const { receipt, block } = facts;
  return conclude('transaction', {
    pass: `Transaction ${location.transactionHash} succeeded in block ${location.blockNumber}, which the chain has at that height.`,
    problems: [
      ...(block.ok ? blockProblems(facts, block.value.hash) : []),
      ...(receipt.ok ? receiptProblems(facts, receipt.value) : []),
    ],
    ...found,
    missing: missingOf(receipt, block),
    evidence: {
      ...location,
      blockHashAtHeight: block.ok ? block.value.hash : null,
      receiptBlockHash: receipt.ok ? receipt.value.blockHash : null,
      receiptStatus: receipt.ok ? receipt.value.status : null,
    },
  });
}

function blockProblems({ record, receipt }: ChainFacts, hash: string): string[] {
  const { blockNumber, blockHash } = record.location;
  const problems: string[] = [];
  if (!isSame(blockHash, hash)) {
    problems.push(
      `The sale was in block ${blockHash}, but the chain has ${hash} at height ${blockNumber}.`,
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
  const { transactionHash, logIndex } = record.location;
  const problems: string[] = [];
  if (receipt.status !== 'success') {
    problems.push(`Transaction ${transactionHash} reverted.`);
  }
  const log = receipt.logs.find((candidate) => candidate.logIndex === logIndex);
  const hasSaleLog =
    log !== undefined &&
    isSame(log.data, record.data) &&
    isSame(log.topics.join(), record.topics.join());
  if (!hasSaleLog) {
    problems.push(`The receipt of ${transactionHash} does not hold the sale’s log ${logIndex}.`);
  }
  return problems;
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
