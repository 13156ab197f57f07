// The result of analytics (definitions in docs/use/analytics.md).
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Amount, CampaignId, Count, Timestamp } from '../values.ts';
import { Period } from './period.ts';
import { AnalyticsPoint } from './totals.ts';

/** Totals of a period, with growth, funnel and cohorts (docs/use/analytics.md). */
export const Analytics = z.strictObject({
  period: Period,
  series: z.array(AnalyticsPoint).describe('Days in UTC, oldest first.'),
  totals: AnalyticsPoint.describe('Totals of the whole period.'),
  previousPeriodTotals: AnalyticsPoint.nullable().describe(
    'Totals of the previous period of the same length; null if there was nothing yet.',
  ),
  depthMix: z
    .array(
      z.strictObject({
        depth: z.int().min(1).describe('Depth of the selling node; 1 is a root.'),
        sales: Count.describe('Settled sales.'),
        rewards: Amount.describe('Rewards of those sales, base units of meta.token.'),
      }),
    )
    .describe('Lowest depth first.'),
  networkGrowth: z.array(AnalyticsPoint).describe('Running totals at the end of each day.'),
  funnel: z
    .array(
      z.strictObject({
        stage: z.string().describe('open, join, checkout or sale.'),
        count: Count,
        estimate: z.boolean().describe('True if it counts visitors, and is therefore an estimate.'),
      }),
    )
    .describe('Widest stage first.'),
  cohortGrid: z
    .array(
      z.strictObject({
        cohort: Timestamp.describe('When the distributors of the row joined: a week’s Monday.'),
        periods: z
          .array(z.number().min(0))
          .describe('Settled sales per joined node in each week after it, week 0 first.'),
      }),
    )
    .describe('Oldest cohort first.'),
  byCampaign: z
    .array(z.strictObject({ campaignId: CampaignId, totals: AnalyticsPoint }))
    .describe('Largest value first.'),
});

nameSchemas({ Analytics });
