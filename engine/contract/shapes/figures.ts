/** Figures that several resources share, exact to the specification. */
import { z } from 'zod';
import { Amount, Count, Timestamp } from '../values.ts';
import { SalesCounters } from './campaign.ts';

/** «Reward buckets» (design §5, Buckets). */
export const RewardBuckets = z.strictObject({
  atRisk: Amount.describe('Reserved, the hold running; base units.'),
  readyToFinalize: Amount.describe('Reserved, the hold over; base units.'),
  claimable: Amount.describe('Finalized and not claimed, base units.'),
  claimed: Amount.describe('Paid out, base units.'),
  refunded: Amount.describe('Released by refunds, base units.'),
  reversed: Amount.describe('Taken back by reversals, base units.'),
});

/** «Analytics point». */
export const AnalyticsPoint = z.strictObject({
  at: Timestamp.describe('Where its stretch of time begins.'),
  sales: SalesCounters,
  value: Amount.describe('Value of the settled sales, base units of meta.token.'),
  rewards: Amount.describe('Rewards of the settled sales, base units of meta.token.'),
  links: Count.describe('Nodes that joined.'),
});
