/** The newest result of the audit (design §5, Invariants). */
import { z } from 'zod';
import { BlockNumber, Count, Hash32, Timestamp } from '../values.ts';

const Violation = z.strictObject({
  campaignId: z.string().describe('all where it is of all campaigns together.'),
  invariant: z.string().describe('Which invariant, in a few words.'),
  subject: z.string().nullable().describe('The amount, account, sale or level that differs.'),
  expected: z.string(),
  actual: z.string(),
});

export const LedgerAudit = z.strictObject({
  ok: z.boolean().describe('Whether nothing differs and no discrepancy is recorded.'),
  block: z
    .strictObject({ number: BlockNumber, hash: Hash32, timestamp: Timestamp })
    .describe('The settled block, as of which ledger and contract were compared.'),
  finishedAt: Timestamp,
  durationMs: Count.describe('Milliseconds that it took.'),
  campaigns: Count.describe('Campaigns that were compared.'),
  discrepancies: Count.describe('Where settlement computed one thing and the chain said another.'),
  violations: z.strictObject({
    count: Count,
    items: z.array(Violation).max(100).describe('The first 100.'),
  }),
});
