import type { Address } from '../../../core/events.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import type { Snapshot } from '../snapshot.ts';

/** Permission of an account in a campaign: to join an invite-only one, or to attest its sales. */
export type Role = 'distributor' | 'attester';

/** Those among the accounts that have a permission at the settled block: one statement. */
export async function allowedAmong(
  { sql }: Pick<Snapshot, 'sql'>,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
  role: Role,
  accounts: readonly Address[],
): Promise<ReadonlySet<Address>> {
  const rows = await sql<{ account: Address }[]>`
    select named.account from unnest(${[...accounts]}::text[]) named (account)
    cross join lateral (
      select allowed from ledger.permission
      where campaign_id = ${campaignId} and role = ${role} and account = named.account
        and seq <= ${seq}
      order by seq desc limit 1
    ) newest
    where newest.allowed`;
  return new Set(rows.map(({ account }) => account));
}
