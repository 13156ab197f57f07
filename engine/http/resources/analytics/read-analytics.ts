import type { z } from 'zod';
import type { Analytics } from '../../../contract/shapes/analytics.ts';
import { dayCount, defaultPeriod, MAX_DAYS } from '../../../core/analytics.ts';
import type { Address } from '../../../core/events.ts';
import { planForParameters } from '../../../db/planner.ts';
import { analyticsCohorts } from '../../../db/read/analytics/cohorts.ts';
import { readDelta } from '../../../db/read/analytics/delta.ts';
import { analyticsFunnel } from '../../../db/read/analytics/funnel.ts';
import { analyticsTotals } from '../../../db/read/analytics/totals.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import { mostSettledToken } from '../../../db/read/tokens.ts';
import { invalidField } from '../../errors.ts';
import type { MethodResult } from '../../handler-types.ts';
import { periodOf } from '../../input/period.ts';
import { analyticsOf } from '../../render/analytics.ts';

/** Filters of a request; campaigns are the merchant's own. */
interface AnalyticsQuery {
  readonly merchant: Address;
  readonly campaignIds: readonly string[] | undefined;
  readonly comparedIds: readonly string[];
  readonly range: { readonly from: string; readonly to: string } | undefined;
}

/**
 * Reads the analytics of a period over the requested campaigns.
 * @throws {HttpError} VALIDATION_FAILED if the range touches more than `MAX_DAYS` days.
 */
export async function readAnalytics(
  snapshot: Snapshot,
  { merchant, campaignIds, comparedIds, range }: AnalyticsQuery,
): Promise<Pick<MethodResult<z.infer<typeof Analytics>>, 'data' | 'tokens'>> {
  const clock = snapshot.head.timestamp;
  const period = periodOf(range) ?? defaultPeriod(clock);
  if (dayCount(period) > MAX_DAYS) {
    const message = `must touch at most ${MAX_DAYS} days in UTC`;
    throw invalidField('range', message);
  }
  const whose = { merchant, campaignIds, comparedIds, period };
  const [tokens, delta] = await Promise.all([
    mostSettledToken(snapshot, { merchant, campaignIds }),
    readDelta(snapshot, { ...whose, token: null }),
  ]);
  const scope = { ...whose, token: tokens?.token.address ?? null };
  const [, saleTotals, funnel, cohorts] = await Promise.all([
    planForParameters(snapshot.sql),
    analyticsTotals(snapshot, scope, delta),
    analyticsFunnel(snapshot, scope),
    analyticsCohorts(snapshot, scope, delta),
  ]);
  return { data: analyticsOf({ period, saleTotals, funnel, cohorts, clock }), tokens };
}
