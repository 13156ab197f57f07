import type { Fragment, Sql } from './connection.ts';
import { fence } from './planner.ts';

/** The levels to select: those of one campaign whose sales a condition on `hold_until` selects. */
interface HeldLevels {
  readonly campaignId: Fragment;
  /** A condition on `hold_until`, the time from which the sale can be finalized. */
  readonly holds: Fragment;
  /** The right side of a condition `recipient = …`; without it, the levels of all accounts. */
  readonly recipient?: Fragment | string | undefined;
}

/**
 * A select of the levels of a campaign that hold something. Only levels of pending sales do, as the audit checks. The sales
 * are found by the index of pending ones, and the levels of all of them by a list of their ids, which costs less than as
 * many look-ups. The order of holds costs nothing by that index: without it, a plan made while the table was empty would
 * read all sales of the campaign.
 */
export function heldLevels(sql: Sql, { campaignId, holds, recipient }: HeldLevels): Fragment {
  return sql`
    select level.sale_id, level.recipient, level.reserved
    from (
      select array(
        select sale_id from ledger.sale
        where campaign_id = ${campaignId} and state = 'pending' and ${holds}
        order by hold_until
      ) as ids ${fence(sql)}
    ) held
    cross join lateral (
      select sale_id, recipient, reserved from ledger.sale_level
      where campaign_id = ${campaignId} and sale_id = any(held.ids) and reserved <> 0
        ${recipient === undefined ? sql`` : sql`and recipient = ${recipient}`}
      ${fence(sql)}
    ) level`;
}
