import { missingOf } from '../chain/answer.ts';
import { conclude, type FoundFields } from '../conclude.ts';
import { attributionFields } from '../receipt-fields.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/**
 * Compares the node that the sale counted for with its SaleRecorded, and the codes that are attached to it with the calldata
 * of its transaction.
 */
export function checkAttribution(subject: Subject, found: FoundFields): Check<'attribution'> {
  const { nodeId, codes } = attributionFields(subject);
  const counted = nodeId === null ? 'No node counted' : `Node ${nodeId} counted`;
  return conclude('attribution', {
    pass: `${counted}, as the call says. ${sentence(codes)}`,
    ...found,
    missing: missingOf(subject.facts.transaction),
    evidence: { nodeId, ...(codes !== undefined && { codes }) },
  });
}

function sentence(codes: ReturnType<typeof attributionFields>['codes']): string {
  if (codes === null || codes === undefined) {
    return 'Its transaction calls another contract, so no codes are read from its calldata.';
  }
  if (codes.length === 0) return 'No codes are attached to its calldata.';
  return `Its sender attached ${codes.map(({ code }) => `"${code}"`).join(', ')}, which decides nothing.`;
}
