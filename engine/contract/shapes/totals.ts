// Amounts and counts that several resources share.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Amount, Count, Timestamp } from '../values.ts';
import { SalesCounters } from './campaign.ts';

/** Rewards by state (docs/how-it-works/settlement.md#buckets). */
export const RewardBuckets = z.strictObject({
  atRisk: Amount.describe('Reserved, the hold running; base units.'),
  readyToFinalize: Amount.describe('Reserved, the hold over; base units.'),
  claimable: Amount.describe('Finalized and not claimed, base units.'),
  claimed: Amount.describe('Paid out, base units.'),
  refunded: Amount.describe('Released by refunds, base units.'),
  reversed: Amount.describe('Reversed after finalization, base units.'),
});

/** Totals of a range of time, for analytics. */
export const AnalyticsPoint = z.strictObject({
  at: Timestamp.describe('Start of its range of time.'),
  sales: SalesCounters,
  value: Amount.describe('Value of the settled sales, base units of meta.token.'),
  rewards: Amount.describe('Rewards of the settled sales, base units of meta.token.'),
  links: Count.describe('Nodes that joined.'),
});

nameSchemas({ RewardBuckets, AnalyticsPoint });
