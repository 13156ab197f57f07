import type { z } from 'zod';
import type { registry } from '../../contract/registry.ts';
import {
  addTotals,
  daysOf,
  mondayOf,
  type PeriodTotals,
  previousPeriod,
  runningTotals,
  type TimeRange,
  weekOf,
  zeroTotals,
} from '../../core/analytics.ts';
import type { CohortView } from '../../db/read/analytics/cohorts.ts';
import type { FunnelView } from '../../db/read/analytics/funnel.ts';
import type { AnalyticsTotals } from '../../db/read/analytics/totals.ts';
import { isoTime } from './time.ts';

type Analytics = z.infer<typeof registry.analytics.merchant.output>;

/** Parts of the response. */
interface Parts {
  readonly period: TimeRange;
  readonly saleTotals: AnalyticsTotals;
  readonly funnel: FunnelView;
  readonly cohorts: readonly CohortView[];
  /** Time of the settled block, unix seconds: later weeks are left out. */
  readonly clock: number;
}

/** Analytics of a period, as docs/use/analytics.md defines them. */
export function analyticsOf({ period, saleTotals, funnel, cohorts, clock }: Parts): Analytics {
  const starts = daysOf(period);
  const days = starts.map((_, i) => saleTotals.days.get(i) ?? zeroTotals);
  const totals = days.reduce(addTotals, zeroTotals);
  const running = runningTotals(saleTotals.before, days);
  const known = funnel.since !== null && funnel.since < period.from;
  return {
    period: { from: isoTime(period.from), to: isoTime(period.to) },
    series: days.map((sums, i) => pointOf(starts[i] ?? period.from, sums)),
    totals: pointOf(period.from, totals),
    previousPeriodTotals: known ? pointOf(previousPeriod(period).from, saleTotals.previous) : null,
    depthMix: saleTotals.depths.map(({ depth, sales, rewards }) => ({
      depth,
      sales,
      rewards: rewards.toString(),
    })),
    networkGrowth: running.map((sums, i) => pointOf(starts[i] ?? period.from, sums)),
    funnel: [
      { stage: 'open', count: funnel.visitors, estimate: true },
      { stage: 'join', count: totals.links, estimate: false },
      { stage: 'checkout', count: funnel.checkouts, estimate: false },
      {
        stage: 'sale',
        count: totals.pending + totals.finalized + totals.refunded,
        estimate: false,
      },
    ],
    cohortGrid: cohorts.map((cohort) => cohortOf(cohort, Math.min(period.to - 1, clock))),
    byCampaign: saleTotals.campaigns.map(({ campaignId, sums }) => ({
      campaignId,
      totals: pointOf(period.from, sums),
    })),
  };
}

function pointOf(at: number, sums: PeriodTotals): Analytics['totals'] {
  return {
    at: isoTime(at),
    sales: { pending: sums.pending, finalized: sums.finalized, refunded: sums.refunded },
    value: sums.value.toString(),
    rewards: sums.rewards.toString(),
    links: sums.links,
  };
}

/** @param last last unix second that is included. */
function cohortOf({ week, nodes, sales }: CohortView, last: number): Analytics['cohortGrid'][0] {
  const weeks = Math.max(1, weekOf(last) - week + 1);
  return {
    cohort: isoTime(mondayOf(week)),
    periods: Array.from({ length: weeks }, (_, i) => (sales.get(i) ?? 0) / nodes),
  };
}
