import type { Address } from '../../../core/events.ts';
import { limitTo } from '../../planner.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import type { Snapshot } from '../snapshot.ts';

/** Permission of an account in a campaign: to join an invite-only one, or to attest its sales. */
export type Role = 'distributor' | 'attester';

/** A campaign, and how many of its events a read covers. */
type CampaignAt = Pick<CampaignView, 'campaignId' | 'seq'>;

/** Those among the accounts that have a permission at the settled block: one statement. */
export async function allowedAmong(
  { sql, head }: Pick<Snapshot, 'sql' | 'head'>,
  { campaignId, seq }: CampaignAt,
  role: Role,
  accounts: readonly Address[],
): Promise<ReadonlySet<Address>> {
  const rows = await sql<{ account: Address }[]>`
    select named.account from unnest(${[...accounts]}::text[]) named (account)
    cross join lateral (
      select allowed, expiry from ledger.permission
      where campaign_id = ${campaignId} and role = ${role} and account = named.account
        and seq <= ${seq}
      order by seq desc limit 1
    ) newest
    where newest.allowed and coalesce(newest.expiry > ${head.timestamp}, true)`;
  return new Set(rows.map(({ account }) => account));
}

/** Maximum number of attesters in a response. */
const MAX_ATTESTERS = 100;

/** Accounts that may attest sales of a campaign at the settled block, 100 at most: one statement. */
export async function attestersOf(
  { sql, head }: Pick<Snapshot, 'sql' | 'head'>,
  { campaignId, seq }: CampaignAt,
): Promise<Address[]> {
  const rows = await sql<{ account: Address }[]>`
    select account from (
      select distinct on (account) account, allowed, expiry from ledger.permission
      where campaign_id = ${campaignId} and role = 'attester' and seq <= ${seq}
      order by account, seq desc
    ) newest
    where allowed and expiry > ${head.timestamp} order by account ${limitTo(sql, MAX_ATTESTERS)}`;
  return rows.map(({ account }) => account);
}
