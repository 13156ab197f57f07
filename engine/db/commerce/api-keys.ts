import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import {
  address,
  as,
  bytes,
  date,
  nullable,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../row.ts';

const keyRow = rowCodec({
  id: text,
  /** Account for which it acts, lower case. */
  account: address,
  /** Merchant for which it acts, lower case. */
  merchant: address,
  name: text,
  prefix: text,
  scopes: as<readonly string[]>(),
  /** Addresses and networks that may use it; empty for all. */
  addresses: as<readonly string[]>(),
  createdAt: date,
  /** To the minute. */
  lastUsedAt: nullable(date),
  expiresAt: nullable(date),
  revokedAt: nullable(date),
});

/** A key of a program, without its secret. */
export type ApiKeyRow = View<typeof keyRow>;

const foundRow = rowCodec({ ...keyRow.fields, hash: bytes });

/** A key with the hash of its text. */
type FoundKey = View<typeof foundRow>;

/** Keys of one account that may be used at the same time. */
export const MAX_KEYS = 50;

/** Keys that a list has: those in use, and the newest others. */
const MAX_LISTED = 200;

/** Seconds that `last_used_at` may be behind. */
const USED_SECONDS = 60;

/** Key of that id with the hash of its text; `undefined` if there is none. */
export async function findKey(sql: Sql, id: string): Promise<FoundKey | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${foundRow.columns(sql, 'api_key')} from commerce.api_key where id = ${id}`;
  return row && foundRow.decode(row);
}

/** Notes that a key was used, at most once a minute. */
export async function noteUse(
  sql: Sql,
  { id, lastUsedAt }: Pick<ApiKeyRow, 'id' | 'lastUsedAt'>,
  now: Date,
): Promise<void> {
  if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < USED_SECONDS * 1_000) return;
  await sql`
    update commerce.api_key set last_used_at = ${now.toISOString()}::timestamptz where id = ${id}`;
}

/** Keys of an account for a merchant, newest first. */
export async function listKeys(
  sql: Sql,
  account: Address,
  merchant: Address,
): Promise<ApiKeyRow[]> {
  const rows = await sql<StoredRow[]>`
    select ${keyRow.columns(sql, 'api_key')} from commerce.api_key
    where account = ${account} and merchant = ${merchant}
    order by created_at desc, id desc limit ${MAX_LISTED}`;
  return rows.map(keyRow.decode);
}

/** Key of an account, locked until the transaction ends. */
export async function lockKey(
  sql: Sql,
  account: Address,
  id: string,
): Promise<ApiKeyRow | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${keyRow.columns(sql, 'api_key')} from commerce.api_key
    where id = ${id} and account = ${account} for update`;
  return row && keyRow.decode(row);
}

/** A key to store. */
export interface StoredKey extends Omit<ApiKeyRow, 'lastUsedAt' | 'revokedAt'> {
  readonly hash: Uint8Array;
}

/**
 * Stores a key, unless the account has as many in use as it may have.
 * @returns `undefined` where it has.
 */
export async function storeKey(sql: Sql, key: StoredKey): Promise<ApiKeyRow | undefined> {
  const now = key.createdAt.toISOString();
  // Counting and adding are one step: two concurrent requests would both find the last place free.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`api key ${key.account}`}, 0))`;
  const [row] = await sql<StoredRow[]>`
    insert into commerce.api_key
      (id, account, merchant, name, hash, prefix, scopes, addresses, created_at, expires_at)
    select ${key.id}, ${key.account}, ${key.merchant}, ${key.name}, ${Buffer.from(key.hash)},
      ${key.prefix}, ${[...key.scopes]}::text[], ${[...key.addresses]}::text[],
      ${now}::timestamptz, ${key.expiresAt?.toISOString() ?? null}::timestamptz
    where (
      select count(*) from commerce.api_key
      where account = ${key.account} and revoked_at is null
        and (expires_at is null or expires_at > ${now}::timestamptz)
    ) < ${MAX_KEYS}
    returning ${keyRow.columns(sql, 'api_key')}`;
  return row && keyRow.decode(row);
}

/** Ends a key at a time. */
export async function expireKey(sql: Sql, id: string, at: Date): Promise<void> {
  await sql`
    update commerce.api_key set expires_at = ${at.toISOString()}::timestamptz
    where id = ${id} and (expires_at is null or expires_at > ${at.toISOString()}::timestamptz)`;
}

/**
 * Revokes a key of an account; one that was revoked keeps its time.
 * @returns `undefined` if the account has no such key.
 */
export async function revokeKey(
  sql: Sql,
  account: Address,
  id: string,
  now: Date,
): Promise<ApiKeyRow | undefined> {
  const [row] = await sql<StoredRow[]>`
    update commerce.api_key
    set revoked_at = coalesce(revoked_at, ${now.toISOString()}::timestamptz)
    where id = ${id} and account = ${account}
    returning ${keyRow.columns(sql, 'api_key')}`;
  return row && keyRow.decode(row);
}
