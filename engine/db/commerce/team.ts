import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { address, as, date, nullable, rowCodec, type StoredRow, text, type View } from '../row.ts';

/** Role of a member, lowest first. */
export type MemberRole = 'viewer' | 'analyst' | 'admin' | 'owner';

const memberRow = rowCodec({
  id: text,
  /** Account that the contract knows as the merchant, lower case. */
  merchant: address,
  /** Lower case. */
  account: address,
  role: as<MemberRole>(),
  status: as<'invited' | 'active' | 'removed'>(),
  joinedAt: nullable(date),
});

/** An account that works for a merchant, was invited to, or did. */
export type MemberRow = View<typeof memberRow>;

/** Accounts of a team, removed ones included. */
export const MAX_MEMBERS = 100;

/**
 * Role of an account in a merchant's team; `undefined` if it has none. A merchant whose team was never
 * changed has one member: its own account, the owner.
 */
export async function roleOf(
  sql: Sql,
  merchant: Address,
  account: Address,
): Promise<MemberRole | undefined> {
  const [row] = await sql<{ role: MemberRole; status: string }[]>`
    select role, status from commerce.team_member
    where merchant = ${merchant} and account = ${account}`;
  if (row === undefined) return merchant === account ? 'owner' : undefined;
  return row.status === 'active' ? row.role : undefined;
}

/** Members of a team: the owner, then the others as they were invited. */
export async function listMembers(sql: Sql, merchant: Address): Promise<MemberRow[]> {
  const rows = await sql<StoredRow[]>`
    select ${memberRow.columns(sql, 'team_member')} from commerce.team_member
    where merchant = ${merchant}
    order by role = 'owner' desc, invited_at, id limit ${MAX_MEMBERS}`;
  return rows.map(memberRow.decode);
}

/** Adds the merchant's own account as the owner, in the transaction of the first change of its team. */
export async function ensureOwner(
  sql: Sql,
  merchant: Address,
  id: string,
  now: Date,
): Promise<void> {
  await sql`
    insert into commerce.team_member (id, merchant, account, role, status, invited_at, joined_at)
    select ${id}, ${merchant}, ${merchant}, 'owner', 'active', ${now.toISOString()}::timestamptz,
      ${now.toISOString()}::timestamptz
    where not exists (
      select 1 from commerce.team_member where merchant = ${merchant} and role = 'owner'
    )
    on conflict do nothing`;
}

/** Invites an account, or invites a former member again. */
export async function inviteMember(
  sql: Sql,
  invited: Pick<MemberRow, 'id' | 'merchant' | 'account' | 'role'>,
  now: Date,
): Promise<MemberRow> {
  const [row] = await sql<StoredRow[]>`
    insert into commerce.team_member (id, merchant, account, role, status, invited_at)
    values (${invited.id}, ${invited.merchant}, ${invited.account}, ${invited.role}, 'invited',
      ${now.toISOString()}::timestamptz)
    on conflict (merchant, account) do update set role = excluded.role, status = 'invited',
      invited_at = excluded.invited_at, joined_at = null, removed_at = null
    returning ${memberRow.columns(sql, 'team_member')}`;
  if (row === undefined) throw new Error(`${invited.account} was not invited.`);
  return memberRow.decode(row);
}

/** Gives a member another role. */
export async function setRole(sql: Sql, id: string, role: MemberRole): Promise<MemberRow> {
  const [row] = await sql<StoredRow[]>`
    update commerce.team_member set role = ${role} where id = ${id}
    returning ${memberRow.columns(sql, 'team_member')}`;
  if (row === undefined) throw new Error(`There is no member ${id}.`);
  return memberRow.decode(row);
}

/** Removes a member, and revokes its keys for the merchant. */
export async function removeMember(
  sql: Sql,
  { id, merchant, account }: MemberRow,
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  await sql`
    update commerce.team_member set status = 'removed', removed_at = ${at}::timestamptz
    where id = ${id}`;
  await sql`
    update commerce.api_key set revoked_at = ${at}::timestamptz
    where merchant = ${merchant} and account = ${account} and revoked_at is null`;
}

/** Makes a member the owner; the owner before becomes an admin. */
export async function transferTo(sql: Sql, { id, merchant }: MemberRow): Promise<void> {
  await sql`
    update commerce.team_member set role = 'admin' where merchant = ${merchant} and role = 'owner'`;
  await sql`update commerce.team_member set role = 'owner' where id = ${id}`;
}

/** Accepts every invitation of an account: it has signed in. */
export async function acceptInvitations(sql: Sql, account: Address, now: Date): Promise<void> {
  await sql`
    update commerce.team_member set status = 'active', joined_at = ${now.toISOString()}::timestamptz
    where account = ${account} and status = 'invited'`;
}

const membershipRow = rowCodec({
  merchant: address,
  role: as<MemberRole>(),
  slug: nullable(text),
  name: nullable(text),
});

/** A merchant for which an account works. */
export type Membership = View<typeof membershipRow>;

/** Merchants for which an account works, by name; its own is not among them. */
export async function membershipsOf(sql: Sql, account: Address): Promise<Membership[]> {
  const rows = await sql<StoredRow[]>`
    select member.merchant, member.role, merchant.slug, merchant.name
    from commerce.team_member member left join commerce.merchant on merchant.address = member.merchant
    where member.account = ${account} and member.status = 'active' and member.merchant <> ${account}
    order by merchant.name, member.merchant limit ${MAX_MEMBERSHIPS}`;
  return rows.map(membershipRow.decode);
}

const MAX_MEMBERSHIPS = 100;
