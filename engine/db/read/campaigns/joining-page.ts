import type { Address } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';

/** Which page of which invitations, or of which requests to join, a list has. */
export interface JoiningQuery<Status extends string> {
  /** The account whose campaign it is about. */
  readonly merchant?: Address | undefined;
  /** The account that would join. */
  readonly distributor?: Address | undefined;
  readonly campaignId?: string | undefined;
  readonly status?: Status | undefined;
  /** `number` of the last one of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * Conditions, order and limit of a page of invitations or requests to join, newest first.
 *
 * @param of a relation with `merchant`, `distributor`, `campaign_id` and `number`.
 * @param statusNow its status as of the time of the list.
 */
export function pageOfJoining<Status extends string>(
  sql: Sql,
  of: Fragment,
  statusNow: Fragment,
  { merchant, distributor, campaignId, status, after, limit }: JoiningQuery<Status>,
) {
  return sql`
    where true
      ${merchant === undefined ? sql`` : sql`and ${of}.merchant = ${merchant}`}
      ${distributor === undefined ? sql`` : sql`and ${of}.distributor = ${distributor}`}
      ${campaignId === undefined ? sql`` : sql`and ${of}.campaign_id = ${campaignId}`}
      ${status === undefined ? sql`` : sql`and ${statusNow} = ${status}`}
      ${after === undefined ? sql`` : sql`and ${of}.number < ${after}::bigint`}
    order by ${of}.number desc limit ${limit}`;
}
