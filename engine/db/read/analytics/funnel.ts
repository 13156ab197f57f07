import { integer, nullable, rowCodec, type StoredRow, seconds, type View } from '../../row.ts';
import type { Snapshot } from '../snapshot.ts';
import { type AnalyticsScope, scopedCampaigns } from './scope.ts';

const funnelView = rowCodec({
  /** Visitors that opened links, each counted once per link and day. */
  visitors: integer,
  /** Purchases that were begun here. */
  checkouts: integer,
  /** When the first campaign was created. */
  since: nullable(seconds),
});

/** Events before sales, and since when there is data. */
export type FunnelView = View<typeof funnelView>;

/**
 * The funnel of a period: one statement. Opens are stored by whole days in UTC, so that each day of which
 * the period has a part counts; checkouts are by the clock of this service, because the chain has none.
 */
export async function analyticsFunnel(
  { sql, head }: Snapshot,
  scope: AnalyticsScope,
): Promise<FunnelView> {
  const { from, to } = scope.period;
  const [row] = await sql<StoredRow[]>`
    with as_of as materialized (${scopedCampaigns(sql, head, { ...scope, comparedIds: [] })})
    select
      (
        select coalesce(sum(opened.visitors), 0) from as_of
        join commerce.referral_day opened on opened.campaign_id = as_of.campaign_id
        where ${from}::bigint < ${to}::bigint
          and opened.day >= (to_timestamp(${from}::bigint) at time zone 'UTC')::date
          and opened.day <= (to_timestamp(${to}::bigint - 1) at time zone 'UTC')::date
      ) as visitors,
      (
        select count(*) from as_of
        join commerce.checkout_intent intent on intent.campaign_id = as_of.campaign_id
        where intent.created_at >= to_timestamp(${from}::bigint)
          and intent.created_at < to_timestamp(${to}::bigint)
      ) as checkouts,
      (select min(created_timestamp) from as_of) as since`;
  if (row === undefined) throw new Error('A select of totals returned no row.');
  return funnelView.decode(row);
}
