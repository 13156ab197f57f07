import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { as, hex, integer, nullable, rowCodec, type StoredRow, text, type View } from '../row.ts';

/** Who changes something for a merchant, and by which method. */
export interface Change {
  readonly merchant: Address;
  /** Account, and the id of its key if it came with one. */
  readonly actor: string;
  readonly role: string;
  /** Name of the method. */
  readonly action: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * Names the actor of a transaction, at its start: each row that it changes becomes an entry of the
 * merchant's audit log. The changes of one merchant wait for each other.
 */
export async function beginChange(sql: Sql, change: Change): Promise<void> {
  await sql`select commerce.begin_change(${sql.json({ ...change })})`;
}

const entryRow = rowCodec({
  number: integer,
  id: text,
  /** Unix milliseconds. */
  atMs: integer,
  actor: text,
  role: text,
  resource: text,
  action: text,
  beforeHash: nullable(hex),
  afterHash: nullable(hex),
});

/** An entry of a merchant's audit log. */
export type AuditRow = View<typeof entryRow>;

/** Entries of a merchant, newest first. @param before number of the last entry of the page before. */
export async function listAudit(
  sql: Sql,
  merchant: Address,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<AuditRow[]> {
  const rows = await sql<StoredRow[]>`
    select ${entryRow.columns(sql, 'audit_entry')} from commerce.audit_entry
    where merchant = ${merchant}
      ${before === undefined ? sql`` : sql`and number < ${before}::bigint`}
    order by number desc limit ${limit}`;
  return rows.map(entryRow.decode);
}

const breakRow = rowCodec({ merchant: as<Address>(), number: integer, reason: text });

/** A place at which an audit log is not what was written. */
export type AuditBreak = View<typeof breakRow>;

/** Places that one check reports. */
const MAX_BREAKS = 100;

/**
 * Checks the audit logs of all merchants: every entry's id is the hash of its content and of the entry
 * before it, no number is missing, and the newest entry is the one that was written last. Entries that were deleted
 * because of their age are not missing.
 */
export async function checkAuditLogs(sql: Sql): Promise<AuditBreak[]> {
  const rows = await sql<StoredRow[]>`
    with entry as (
      select entry.*, coalesce(lag(entry.id) over by_number, head.deleted_id) as before_id,
        coalesce(lag(entry.number) over by_number, head.deleted_number, 0) as before_number
      from commerce.audit_entry entry
      left join commerce.audit_head head on head.merchant = entry.merchant
      window by_number as (partition by entry.merchant order by entry.number)
    ), broken as (
      select merchant, number, 'an entry before it is missing' as reason from entry
      where number <> before_number + 1
      union all
      select merchant, number, 'its id is not the hash of its content' from entry
      where id <> commerce.audit_id(before_id, merchant, number, at_ms, actor, role, resource,
        action, before_hash, after_hash)
      union all
      select head.merchant, head.number, 'the newest entry is missing or another'
      from commerce.audit_head head
      left join commerce.audit_entry last
        on last.merchant = head.merchant and last.number = head.number
      where head.number > head.deleted_number and last.id is distinct from head.id
      union all
      select last.merchant, last.number, 'it is newer than the newest entry'
      from commerce.audit_entry last
      left join commerce.audit_head head on head.merchant = last.merchant
      where head.number is null or last.number > head.number
    )
    select merchant, number, min(reason) as reason from broken
    group by merchant, number order by merchant, number limit ${MAX_BREAKS}`;
  return rows.map(breakRow.decode);
}
