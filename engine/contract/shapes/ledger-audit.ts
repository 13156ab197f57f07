// The newest result of the audit (docs/how-it-works/ledger.md#invariants).
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { BlockRef, Count, Timestamp } from '../values.ts';

const Violation = z.strictObject({
  campaignId: z.string().describe('"all" if it concerns the total of all campaigns.'),
  invariant: z.string().describe('The violated invariant, in a few words.'),
  subject: z.string().nullable().describe('The amount, account, sale or level that differs.'),
  expected: z.string(),
  actual: z.string(),
});

/** The newest result of the audit. */
export const LedgerAudit = z.strictObject({
  ok: z.boolean().describe('Whether nothing differs and no discrepancy is recorded.'),
  block: BlockRef.describe('The settled block at which ledger and contract were compared.'),
  finishedAt: Timestamp,
  durationMs: Count.describe('Milliseconds that it took.'),
  campaigns: Count.describe('Campaigns that were compared.'),
  discrepancies: Count.describe('Differences between the chain and what settlement computed.'),
  violations: z.strictObject({
    count: Count,
    items: z.array(Violation).max(100).describe('The first 100.'),
  }),
});

nameSchemas({ AuditViolation: Violation, LedgerAudit });
