import type { Address } from '../../core/events.ts';
import { deletedBefore, retention } from '../../core/retention.ts';
import type { Sql } from '../connection.ts';

/** Days for which a name that was given up is reserved for its previous owner. */
export const NAME_RESERVED_DAYS = retention['released-names.forget'].days;
/** Names of one kind that one account may give up in that time, because each of them is reserved. */
export const MAX_NAMES_GIVEN_UP = 3;

/** Names that only one account may have. A merchant's name is compared without case and spacing. */
export type NameKind = 'handle' | 'slug' | 'merchant name';

/** Reason why a name cannot be had: another account has it, had it a while ago, or one changes too often. */
export type NameRefusal = 'taken' | 'released' | 'too_many_changes';

/** Thrown to undo the transaction of a change. */
export class NameRefused extends Error {
  constructor(
    readonly kind: NameKind,
    readonly why: NameRefusal,
  ) {
    super(why);
  }
}

/**
 * Records the name that an account gives up, and checks that it may have the other one.
 * @param given, taken `null` for none.
 * @throws {NameRefused} `released` or `too_many_changes`.
 */
export async function moveName(
  sql: Sql,
  kind: NameKind,
  { address, given, taken }: { address: Address; given: string | null; taken: string | null },
  now: Date,
): Promise<void> {
  if (given === taken) return;
  if (taken !== null) {
    if (await isReleasedByAnother(sql, kind, taken, address, now)) {
      throw new NameRefused(kind, 'released');
    }
    await sql`delete from commerce.released_name where kind = ${kind} and name = ${taken}`;
  }
  if (given === null) return;
  await sql`
    insert into commerce.released_name (kind, name, address, released_at)
    values (${kind}, ${given}, ${address}, ${now.toISOString()}::timestamptz)
    on conflict (kind, name) do update set address = excluded.address,
      released_at = excluded.released_at`;
  const [{ count } = { count: '0' }] = await sql<{ count: string }[]>`
    select count(*) from commerce.released_name
    where address = ${address} and kind = ${kind} and released_at > ${since(now)}::timestamptz`;
  if (Number(count) > MAX_NAMES_GIVEN_UP) throw new NameRefused(kind, 'too_many_changes');
}

/** True if another account gave up the name in the last days. */
export async function isReleasedByAnother(
  sql: Sql,
  kind: NameKind,
  name: string,
  address: Address,
  now: Date,
): Promise<boolean> {
  const rows = await sql`
    select 1 from commerce.released_name
    where kind = ${kind} and name = ${name} and address <> ${address}
      and released_at > ${since(now)}::timestamptz`;
  return rows.length > 0;
}

function since(now: Date): string {
  return deletedBefore('released-names.forget', now);
}
