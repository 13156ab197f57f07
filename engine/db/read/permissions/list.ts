import type { Address } from '../../../core/events.ts';
import { limitTo } from '../../planner.ts';
import {
  address,
  as,
  flag,
  integer,
  optional,
  rowCodec,
  type StoredRow,
  type View,
} from '../../row.ts';
import { attesterLimitsRow } from '../../rows/account.ts';
import { transactionRow } from '../../rows/event.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import type { Snapshot } from '../snapshot.ts';

const permissionView = rowCodec({
  role: as<'attester' | 'distributor'>(),
  account: address,
  allowed: flag,
  limits: optional(attesterLimitsRow.fields),
  seq: integer,
  tx: transactionRow.fields,
});

/** The newest decision of a campaign about an account. */
export type PermissionView = View<typeof permissionView>;

/** Filters of permissions; `undefined` does not filter. */
export interface PermissionFilter {
  readonly role: PermissionView['role'] | undefined;
  readonly account: Address | undefined;
  readonly allowed: boolean | undefined;
}

/** Newest decision of a campaign about each account, by role and account: one statement. */
export async function listPermissions(
  { sql }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
  { role, account, allowed }: PermissionFilter,
  {
    after,
    limit,
  }: {
    readonly after: Pick<PermissionView, 'role' | 'account'> | undefined;
    readonly limit: number;
  },
): Promise<PermissionView[]> {
  const rows = await sql<StoredRow[]>`
    select permission.role, permission.account, permission.allowed, permission.per_order,
      permission.daily, permission.expiry, permission.seq,
      journal.transaction_hash, journal.block_number, journal.block_timestamp
    from ledger.permission
    join ledger.journal
      on journal.campaign_id = permission.campaign_id and journal.seq = permission.seq
    where permission.campaign_id = ${campaignId} and permission.seq <= ${seq}
      and not exists (
        select 1 from ledger.permission later
        where later.campaign_id = permission.campaign_id and later.role = permission.role
          and later.account = permission.account and later.seq > permission.seq
          and later.seq <= ${seq}
      )
      ${role === undefined ? sql`` : sql`and permission.role = ${role}`}
      ${account === undefined ? sql`` : sql`and permission.account = ${account}`}
      ${allowed === undefined ? sql`` : sql`and permission.allowed = ${allowed}`}
      ${after === undefined ? sql`` : sql`and (permission.role, permission.account) > (${after.role}, ${after.account})`}
    order by permission.role, permission.account ${limitTo(sql, limit)}`;
  return rows.map(permissionView.decode);
}
