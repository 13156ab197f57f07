import type { Pool, Sql } from '../connection.ts';
import { address, as, date, id, rowCodec, type StoredRow, text, type View } from '../row.ts';

const decisionRow = rowCodec({
  /** Counts up. */
  id,
  campaignId: id,
  action: as<'hide' | 'unhide'>(),
  /** For people; 1 to 500 characters. */
  reason: text,
  /** Lower case. */
  operator: address,
  at: date,
});

/** An operator's decision about a campaign. */
export type Decision = View<typeof decisionRow>;

/**
 * Takes a campaign out of the lists, or puts it back, and notes who did it and why, in one
 * transaction. It is still served by its id, with the reason. Hiding a hidden one changes the reason.
 * @returns `undefined` where a campaign to put back is not hidden: nothing changed.
 */
export async function decide(
  pool: Pool,
  { campaignId, action, reason, operator }: Omit<Decision, 'id' | 'at'>,
): Promise<Decision | undefined> {
  return await pool.begin(async (sql) => {
    const changed =
      action === 'hide'
        ? await sql`
            insert into commerce.moderation (campaign_id, hidden, reason)
            values (${campaignId}, true, ${reason})
            on conflict (campaign_id) do update set
              hidden = true, reason = excluded.reason, updated_at = now()
            returning 1`
        : await sql`
            update commerce.moderation set hidden = false, reason = null, updated_at = now()
            where campaign_id = ${campaignId} and hidden returning 1`;
    if (changed.length === 0) return undefined;
    const [row] = await sql<StoredRow[]>`
      insert into commerce.moderation_log (campaign_id, action, reason, operator)
      values (${campaignId}, ${action}, ${reason}, ${operator}) returning *`;
    return row && decisionRow.decode(row);
  });
}

/** Decisions, newest first: of one campaign, or of all. */
export async function listDecisions(
  sql: Sql,
  page: {
    readonly campaignId: string | undefined;
    readonly beforeId: string | undefined;
    readonly limit: number;
  },
): Promise<Decision[]> {
  const rows = await sql<StoredRow[]>`
    select * from commerce.moderation_log
    where true ${page.campaignId === undefined ? sql`` : sql`and campaign_id = ${page.campaignId}`}
      ${page.beforeId === undefined ? sql`` : sql`and id < ${page.beforeId}::bigint`}
    order by id desc limit ${page.limit}`;
  return rows.map(decisionRow.decode);
}
