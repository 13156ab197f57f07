import { toInteger, toIntegerOrNull } from '../ids.ts';
import type { Snapshot } from '../snapshot.ts';
import { type AnalyticsScope, scopedCampaigns } from './scope.ts';

/** What happened before sales, and since when there is anything. */
export interface FunnelView {
  /** Visitors that opened links, each once a link and day. */
  readonly visitors: number;
  /** Purchases that were begun here. */
  readonly checkouts: number;
  /** When the first campaign was created, unix seconds. */
  readonly since: number | null;
}

/**
 * One statement. Opens are kept by whole days in UTC, so each day that the period touches counts
 * whole; checkouts by the clock of this service, for they are no events of the chain.
 */
export async function analyticsFunnel(
  { sql, head }: Snapshot,
  scope: AnalyticsScope,
): Promise<FunnelView> {
  const { from, to } = scope.period;
  const [row] = await sql<{ visitors: string; checkouts: string; since: string | null }[]>`
    with own as materialized (${scopedCampaigns(sql, head, { ...scope, comparedIds: [] })})
    select
      (
        select coalesce(sum(opened.visitors), 0) from own
        join commerce.referral_day opened on opened.campaign_id = own.campaign_id
        where ${from}::bigint < ${to}::bigint
          and opened.day >= (to_timestamp(${from}::bigint) at time zone 'UTC')::date
          and opened.day <= (to_timestamp(${to}::bigint - 1) at time zone 'UTC')::date
      ) as visitors,
      (
        select count(*) from own
        join commerce.checkout_intent intent on intent.campaign_id = own.campaign_id
        where intent.created_at >= to_timestamp(${from}::bigint)
          and intent.created_at < to_timestamp(${to}::bigint)
      ) as checkouts,
      (select min(created_timestamp) from own) as since`;
  return {
    visitors: toInteger(row?.visitors ?? '0'),
    checkouts: toInteger(row?.checkouts ?? '0'),
    since: toIntegerOrNull(row?.since ?? null),
  };
}
