import type { z } from 'zod';
import type { Analytics } from '../contract/shapes/analytics.ts';
import { DAYS_MOST, dayCount, usualPeriod } from '../core/analytics.ts';
import type { Address } from '../core/events.ts';
import { analyticsCohorts } from '../db/read/analytics/cohorts.ts';
import { analyticsFigures } from '../db/read/analytics/figures.ts';
import { analyticsFunnel } from '../db/read/analytics/funnel.ts';
import { readLoose } from '../db/read/analytics/loose.ts';
import { mostSettledToken } from '../db/read/most-settled-token.ts';
import { planEach, type Snapshot } from '../db/read/snapshot.ts';
import { ValidationError } from './errors.ts';
import type { Answer } from './handler.ts';
import { periodOf } from './period.ts';
import { analyticsOf } from './render/analytics.ts';

/** What is asked for; campaigns are the merchant's own. */
interface Question {
  readonly merchant: Address;
  readonly campaignIds: readonly string[] | undefined;
  readonly comparedIds: readonly string[];
  readonly range: { readonly from: string; readonly to: string } | undefined;
}

/**
 * The figures of a period, over the campaigns that are asked for.
 * @throws {ValidationError} where the range touches more days than are told.
 */
export async function readAnalytics(
  snapshot: Snapshot,
  { merchant, campaignIds, comparedIds, range }: Question,
): Promise<Pick<Answer<z.infer<typeof Analytics>>, 'data' | 'tokens'>> {
  const clock = snapshot.head.timestamp;
  const period = periodOf(range) ?? usualPeriod(clock);
  if (dayCount(period) > DAYS_MOST) {
    const message = `must touch at most ${DAYS_MOST} days in UTC`;
    throw new ValidationError([{ path: 'range', message }]);
  }
  const whose = { merchant, campaignIds, comparedIds, period };
  const [tokens, loose] = await Promise.all([
    mostSettledToken(snapshot, { merchant, campaignIds }),
    readLoose(snapshot, { ...whose, token: null }),
  ]);
  const scope = { ...whose, token: tokens?.token.address ?? null };
  const [, figures, funnel, cohorts] = await Promise.all([
    planEach(snapshot.sql),
    analyticsFigures(snapshot, scope, loose),
    analyticsFunnel(snapshot, scope),
    analyticsCohorts(snapshot, scope, loose),
  ]);
  return { data: analyticsOf({ period, figures, funnel, cohorts, clock }), tokens };
}
