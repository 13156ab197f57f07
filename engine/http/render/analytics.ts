import type { z } from 'zod';
import type { registry } from '../../contract/registry.ts';
import {
  addSums,
  daysOf,
  mondayOf,
  noSums,
  periodBefore,
  runningSums,
  type Stretch,
  type Sums,
  weekOf,
} from '../../core/analytics.ts';
import type { CohortView } from '../../db/read/analytics/cohorts.ts';
import type { AnalyticsFigures } from '../../db/read/analytics/figures.ts';
import type { FunnelView } from '../../db/read/analytics/funnel.ts';
import { isoTime } from './time.ts';

type Analytics = z.infer<typeof registry.analytics.merchant.output>;

/** All that the answer is made of. */
interface Parts {
  readonly period: Stretch;
  readonly figures: AnalyticsFigures;
  readonly funnel: FunnelView;
  readonly cohorts: readonly CohortView[];
  /** Time of the settled block, unix seconds: no week after it is told. */
  readonly clock: number;
}

/** The figures of a period, as docs/analytics.md defines them. */
export function analyticsOf({ period, figures, funnel, cohorts, clock }: Parts): Analytics {
  const starts = daysOf(period);
  const days = starts.map((_, i) => figures.days.get(i) ?? noSums);
  const totals = days.reduce(addSums, noSums);
  const running = runningSums(figures.before, days);
  const known = funnel.since !== null && funnel.since < period.from;
  return {
    period: { from: isoTime(period.from), to: isoTime(period.to) },
    series: days.map((sums, i) => pointOf(starts[i] ?? period.from, sums)),
    totals: pointOf(period.from, totals),
    previousPeriodTotals: known ? pointOf(periodBefore(period).from, figures.previous) : null,
    depthMix: figures.depths.map(({ depth, sales, rewards }) => ({
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
    byCampaign: figures.campaigns.map(({ campaignId, sums }) => ({
      campaignId,
      totals: pointOf(period.from, sums),
    })),
  };
}

function pointOf(at: number, sums: Sums): Analytics['totals'] {
  return {
    at: isoTime(at),
    sales: { pending: sums.pending, finalized: sums.finalized, refunded: sums.refunded },
    value: sums.value.toString(),
    rewards: sums.rewards.toString(),
    links: sums.links,
  };
}

/** @param last the last second that is told. */
function cohortOf({ week, nodes, sales }: CohortView, last: number): Analytics['cohortGrid'][0] {
  const weeks = Math.max(1, weekOf(last) - week + 1);
  return {
    cohort: isoTime(mondayOf(week)),
    periods: Array.from({ length: weeks }, (_, i) => (sales.get(i) ?? 0) / nodes),
  };
}
