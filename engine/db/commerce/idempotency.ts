import type { Address } from '../../core/events.ts';
import { deletedBefore, retention } from '../../core/retention.ts';
import type { Pool, Sql } from '../connection.ts';

/** Hours for which a repeated request gets the same response. */
export const KEY_HOURS = 24 * retention['idempotency-keys.forget'].days;

/** Milliseconds after which a request that stored nothing has ended: longer than a request may take. */
const ABANDONED_MS = 60_000;

/** Keys deleted by one statement. */
const DELETE_BATCH = 1_000;

/** A write that its client named. */
export interface NamedRequest {
  readonly account: Address;
  readonly key: string;
  /** SHA-256 of the method and its input. */
  readonly hash: Uint8Array;
}

/** Whether a named request may run now, or what became of the earlier one. */
export type Claim =
  | { readonly name: 'claimed' }
  /** The key names another request. */
  | { readonly name: 'different' }
  | { readonly name: 'running' }
  /** It was carried out, and its response was lost with its process. */
  | { readonly name: 'lost' }
  /** It was carried out, and its response was not stored because it had a secret. */
  | { readonly name: 'secret' }
  | { readonly name: 'answered'; readonly data: string; readonly meta: object };

/**
 * Claims a key: of several concurrent requests, one gets it. One that was abandoned before it stored
 * anything may be claimed again.
 */
export async function claimKey(
  pool: Pool,
  { account, key, hash }: NamedRequest,
  now: Date,
): Promise<Claim> {
  const abandoned = new Date(now.getTime() - ABANDONED_MS).toISOString();
  const claimed = await pool`
    insert into commerce.idempotency_key as known (account, key, request_hash, started_at)
    values (${account}, ${key}, ${hash}, ${now.toISOString()}::timestamptz)
    on conflict (account, key) do update set started_at = excluded.started_at
    where known.request_hash = excluded.request_hash and known.data is null
      and not known.is_stored and known.started_at < ${abandoned}::timestamptz
    returning 1`;
  if (claimed.length > 0) return { name: 'claimed' };
  const [row] = await pool<StoredKey[]>`
    select request_hash = ${hash} as is_same, is_stored, data, meta,
      started_at < ${abandoned}::timestamptz as is_old
    from commerce.idempotency_key where account = ${account} and key = ${key}`;
  // The other request has just failed and released it.
  if (row === undefined) return { name: 'running' };
  if (!row.is_same) return { name: 'different' };
  if (row.data !== null) return { name: 'answered', data: row.data, meta: row.meta ?? {} };
  if (row.is_stored && row.meta !== null) return { name: 'secret' };
  return { name: row.is_stored && row.is_old ? 'lost' : 'running' };
}

interface StoredKey {
  readonly is_same: boolean;
  readonly is_stored: boolean;
  readonly is_old: boolean;
  readonly data: string | null;
  readonly meta: object | null;
}

/** Records, in the transaction of the request, that it is carried out. */
export async function markStored(sql: Sql, { account, key }: NamedRequest): Promise<void> {
  await sql`
    update commerce.idempotency_key set is_stored = true
    where account = ${account} and key = ${key}`;
}

/** Records the response. @param data `null` if it has a secret, which is not stored. */
export async function saveResponse(
  sql: Sql,
  { account, key }: NamedRequest,
  data: string | null,
  meta: object,
): Promise<void> {
  await sql`
    update commerce.idempotency_key
    set is_stored = true, data = ${data}, meta = ${sql.json({ ...meta })}
    where account = ${account} and key = ${key}`;
}

/** Releases the key of a request that failed, unless it stored something before. */
export async function releaseKey(sql: Sql, { account, key }: NamedRequest): Promise<void> {
  await sql`
    delete from commerce.idempotency_key
    where account = ${account} and key = ${key} and not is_stored`;
}

/** Deletes some keys that are older than a day. @returns how many. */
export async function deleteOldKeys(pool: Pool, now: Date): Promise<number> {
  const before = deletedBefore('idempotency-keys.forget', now);
  const { count } = await pool`
    delete from commerce.idempotency_key where (account, key) in (
      select account, key from commerce.idempotency_key
      where started_at < ${before}::timestamptz
      order by started_at limit ${DELETE_BATCH}
    )`;
  return count;
}
