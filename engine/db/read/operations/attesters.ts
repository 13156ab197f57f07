import type { Address } from '../../../core/events.ts';
import { fence, limitTo } from '../../planner.ts';
import { address, amount, rowCodec, type StoredRow, type View } from '../../row.ts';
import { attesterLimitsRow } from '../../rows/account.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import type { Snapshot } from '../snapshot.ts';

/** A campaign, and how many of its events a read covers. */
type CampaignAt = Pick<CampaignView, 'campaignId' | 'seq'>;

const DAY_SECONDS = 86_400;

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
 * What these accounts attested in a campaign on the day (UTC) of a time, base units, as of the block read; an
 * account without a sale is left out. One statement, which reads the campaign's sales of that day.
 * @param timestamp unix seconds.
 */
export async function attestedOnDay(
  { sql }: Pick<Snapshot, 'sql'>,
  { campaignId, seq }: CampaignAt,
  accounts: readonly Address[],
  timestamp: number,
): Promise<ReadonlyMap<Address, bigint>> {
  if (accounts.length === 0) return new Map();
  const midnight = timestamp - (timestamp % DAY_SECONDS);
  const rows = await sql<StoredRow[]>`
    select attestation.signer as account, sum(sale.amount) as attested
    from ledger.sale
    cross join lateral (
      select signer from ledger.attestation
      where campaign_id = sale.campaign_id and sale_id = sale.sale_id ${fence(sql)}
    ) attestation
    where sale.campaign_id = ${campaignId} and sale.seq <= ${seq}
      and sale.block_timestamp >= ${midnight}
      and sale.block_timestamp < ${midnight + DAY_SECONDS}
      and attestation.signer = any(${[...accounts]}::text[])
    group by attestation.signer`;
  return new Map(rows.map(attestedView.decode).map((row) => [row.account, row.attested]));
}
