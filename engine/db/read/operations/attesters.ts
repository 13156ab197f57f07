import type { Address } from '../../../core/events.ts';
import { dayOf } from '../../../core/fold/index.ts';
import { limitTo } from '../../planner.ts';
import { address, amount, rowCodec, type StoredRow, type View } from '../../row.ts';
import { attesterLimitsRow } from '../../rows/account.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import type { Snapshot } from '../snapshot.ts';

/** A campaign, and how many of its events a read covers. */
type CampaignAt = Pick<CampaignView, 'campaignId' | 'seq'>;

/** Maximum number of attesters in a response. */
const MAX_ATTESTERS = 100;

const attesterView = rowCodec({ account: address, ...attesterLimitsRow.fields });

/** An account whose permission to attest the merchant has not withdrawn; it may have expired. */
export type AttesterView = View<typeof attesterView>;

/**
 * Attesters of a campaign at the settled block with their limits, by account, 100 at most: one statement.
 * @param among only these accounts; default all.
 */
export async function attestersOf(
  { sql }: Pick<Snapshot, 'sql'>,
  { campaignId, seq }: CampaignAt,
  among?: readonly Address[],
): Promise<AttesterView[]> {
  const rows = await sql<StoredRow[]>`
    select ${attesterView.columns(sql, 'newest')} from (
      select distinct on (account) account, allowed, per_order, daily, expiry
      from ledger.permission
      where campaign_id = ${campaignId} and role = 'attester' and seq <= ${seq}
        ${among === undefined ? sql`` : sql`and account = any(${[...among]}::text[])`}
      order by account, seq desc
    ) newest
    where newest.allowed order by newest.account ${limitTo(sql, MAX_ATTESTERS)}`;
  return rows.map(attesterView.decode);
}

const attestedView = rowCodec({ account: address, attested: amount });

/**
 * Sums that these accounts attested in a campaign on the day (UTC) of a time, base units, as of the block read;
 * an account without a sale on that day is left out. One statement.
 * @param timestamp unix seconds.
 */
export async function attestedOnDay(
  { sql }: Pick<Snapshot, 'sql'>,
  { campaignId, seq }: CampaignAt,
  accounts: readonly Address[],
  timestamp: number,
): Promise<ReadonlyMap<Address, bigint>> {
  if (accounts.length === 0) return new Map();
  const rows = await sql<StoredRow[]>`
    select named.account, newest.attested from unnest(${[...accounts]}::text[]) named (account)
    cross join lateral (
      select day, attested from ledger.attester_day
      where campaign_id = ${campaignId} and account = named.account and seq <= ${seq}
      order by seq desc limit 1
    ) newest
    where newest.day = ${dayOf(timestamp)}`;
  return new Map(rows.map(attestedView.decode).map((row) => [row.account, row.attested]));
}
