import { countOf } from '../../../core/count-of.ts';
import type { DecodedLog } from '../../chain/decode.ts';
import { conclude } from '../../conclude.ts';
import { eventOf } from '../logs.ts';
import type { ProvenReceipt, ProvenReceipts } from '../prove.ts';

/** Checks that each receipt is under its block's `receiptsRoot` and has a log that the sale needs. */
export function checkProofs({ receipts, problems }: ProvenReceipts, needed: readonly DecodedLog[]) {
  const neededTransactions = new Set(
    needed.map(eventOf).map((event) => key(event.blockNumber, event.transactionIndex)),
  );
  const idle = receipts.filter(
    (one) => !neededTransactions.has(key(one.blockNumber, one.transactionIndex)),
  );
  const blocks = new Set(receipts.map(({ blockNumber }) => blockNumber)).size;
  return conclude('proofs', {
    pass: `Proofs lead from the receipts roots of ${countOf(blocks, 'block')} to ${countOf(receipts.length, 'transaction receipt')}, each of which the sale needs.`,
    problems: [...problems, ...(problems.length > 0 ? [] : idle.map(idleProblem))],
    evidence: {
      receipts: receipts.map(({ blockNumber, transactionIndex, logs }) => ({
        blockNumber,
        transactionIndex,
        logs: logs.length,
      })),
    },
  });
}

function key(blockNumber: string, transactionIndex: number): string {
  return `${blockNumber}/${transactionIndex}`;
}

function idleProblem({ blockNumber, transactionIndex }: ProvenReceipt): string {
  return `The receipt of transaction ${transactionIndex} in block ${blockNumber} has nothing that the sale needs.`;
}
