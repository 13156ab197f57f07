import type { Hex } from '../../core/events.ts';
import type { Pool } from '../connection.ts';
import { bytesOfHex } from '../hex.ts';

/** Opens of one visitor that count in a day: a reload is no interest. */
const MAX_OPENS_PER_VISITOR = 20;
/** Maximum number of visitors of a link that are counted in a day. */
const MAX_VISITORS_PER_LINK = 10_000;

/**
 * The key of a day's visitor hashes. The first visitor of a day creates it and deletes the keys and hashes
 * of previous days: from then on the hashes cannot be linked to an address.
 * @param day YYYY-MM-DD, UTC.
 * @param fresh 32 random bytes, used if the day has no key yet.
 */
export async function saltOfDay(pool: Pool, day: string, fresh: Uint8Array): Promise<Uint8Array> {
  const read = async () =>
    await pool<{ salt: Hex }[]>`
    select salt from commerce.referral_salt where day = ${day}::date`;
  const [known] = await read();
  if (known !== undefined) return bytesOfHex(known.salt);
  await pool.begin(async (sql) => {
    await sql`
      insert into commerce.referral_salt (day, salt) values (${day}::date, ${Buffer.from(fresh)})
      on conflict (day) do nothing`;
    await sql`delete from commerce.referral_salt where day < ${day}::date`;
    await sql`delete from commerce.referral_visitor where day < ${day}::date`;
  });
  const [made] = await read();
  if (made === undefined) throw new Error(`The key of ${day} was thrown away by a later day.`);
  return bytesOfHex(made.salt);
}

/** An open of a link. */
export interface LinkOpen {
  readonly campaignId: string;
  readonly nodeId: string;
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  /** 16 bytes: a keyed hash of who it was, never who it was. */
  readonly visitor: Uint8Array;
}

/**
 * Counts an open: one statement.
 * @returns whether it counted; not where the visitor's or the link's part of the day is full.
 */
export async function countOpen(pool: Pool, open: LinkOpen): Promise<boolean> {
  const { campaignId, nodeId, day } = open;
  const visitor = Buffer.from(open.visitor);
  const rows = await pool`
    with counted as (
      insert into commerce.referral_visitor as known (day, campaign_id, node_id, visitor, opens)
      select ${day}::date, ${campaignId}::bigint, ${nodeId}::bigint, ${visitor}::bytea, 1
      where ${MAX_VISITORS_PER_LINK} > coalesce((
          select visitors from commerce.referral_day
          where campaign_id = ${campaignId} and node_id = ${nodeId} and day = ${day}::date
        ), 0)
        or exists (
          select 1 from commerce.referral_visitor
          where day = ${day}::date and campaign_id = ${campaignId} and node_id = ${nodeId}
            and visitor = ${visitor}::bytea
        )
      on conflict (day, campaign_id, node_id, visitor) do update set opens = known.opens + 1
        where known.opens < ${MAX_OPENS_PER_VISITOR}
      returning opens
    )
    insert into commerce.referral_day as sums (campaign_id, node_id, day, opens, visitors)
    select ${campaignId}, ${nodeId}, ${day}::date, 1, (opens = 1)::int from counted
    on conflict (campaign_id, node_id, day) do update set
      opens = sums.opens + 1, visitors = sums.visitors + excluded.visitors
    returning sums.opens`;
  return rows.length > 0;
}
