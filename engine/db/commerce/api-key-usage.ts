import type { Address } from '../../core/events.ts';
import { deletedBefore } from '../../core/retention.ts';
import type { Pool, Sql } from '../connection.ts';
import { as, date, integer, rowCodec, type StoredRow, small, text, type View } from '../row.ts';

/** Requests of a key that are stored one by one. */
const MAX_REQUESTS = 50;

/** Counts deleted by one statement. */
const DELETE_BATCH = 1_000;

/** A request of a key. */
export interface KeyRequest {
  readonly keyId: string;
  readonly at: Date;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** Campaign that the path named; empty if it named none. */
  readonly campaignId: string;
  readonly requestId: string;
  readonly status: number;
  /** Milliseconds. */
  readonly latencyMs: number;
}

/** Adds requests to the counts by hour, and to the newest ones, in one transaction. */
export async function saveUsage(pool: Pool, requests: readonly KeyRequest[]): Promise<void> {
  if (requests.length === 0) return;
  const columns = {
    keys: requests.map(({ keyId }) => keyId),
    times: requests.map(({ at }) => at.toISOString()),
    verbs: requests.map(({ method }) => method),
    paths: requests.map(({ path }) => path),
    campaigns: requests.map(({ campaignId }) => campaignId),
    ids: requests.map(({ requestId }) => requestId),
    statuses: requests.map(({ status }) => status),
    latencies: requests.map(({ latencyMs }) => latencyMs),
  };
  await pool.begin(async (sql) => {
    // In the order of the index, so that two processes never wait for each other in a circle.
    await sql`
      insert into commerce.api_key_hour as known (key_id, at, status_class, campaign_id, count)
      select one.key_id, date_trunc('hour', one.at, 'UTC'), left(one.status::text, 1) || 'xx',
        one.campaign_id, count(*)
      from unnest(${columns.keys}::text[], ${columns.times}::timestamptz[],
        ${columns.statuses}::int[], ${columns.campaigns}::text[])
        as one (key_id, at, status, campaign_id)
      join commerce.api_key on api_key.id = one.key_id
      group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (key_id, at, status_class, campaign_id)
        do update set count = known.count + excluded.count`;
    await sql`
      insert into commerce.api_key_request
        (key_id, at, method, path, campaign_id, request_id, status, latency_ms)
      select one.* from unnest(${columns.keys}::text[], ${columns.times}::timestamptz[],
        ${columns.verbs}::text[], ${columns.paths}::text[], ${columns.campaigns}::text[],
        ${columns.ids}::text[], ${columns.statuses}::int[],
        ${columns.latencies}::double precision[])
        as one (key_id, at, method, path, campaign_id, request_id, status, latency_ms)
      join commerce.api_key on api_key.id = one.key_id`;
    await sql`
      delete from commerce.api_key_request old
      using (select distinct unnest(${columns.keys}::text[]) as key_id) used
      where old.key_id = used.key_id and old.number <= (
        select newest.number from commerce.api_key_request newest
        where newest.key_id = used.key_id
        order by newest.number desc offset ${MAX_REQUESTS} limit 1
      )`;
  });
}

/** True if an account has that key. */
export async function isOwnKey(sql: Sql, account: Address, id: string): Promise<boolean> {
  const rows = await sql`
    select 1 from commerce.api_key where id = ${id} and account = ${account}`;
  return rows.length > 0;
}

interface Period {
  readonly from: Date;
  readonly to: Date;
}

const hourRow = rowCodec({
  at: date,
  statusClass: as<'2xx' | '3xx' | '4xx' | '5xx'>(),
  count: integer,
});

/** Requests of a key by hour and class of status, oldest first. */
export async function usageByHour(
  sql: Sql,
  id: string,
  period: Period,
  campaignIds: readonly string[] | undefined,
): Promise<View<typeof hourRow>[]> {
  const rows = await sql<StoredRow[]>`
    select at, status_class, sum(count)::bigint as count from commerce.api_key_hour
    where key_id = ${id} and ${within(sql, period, campaignIds)}
    group by at, status_class order by at, status_class`;
  return rows.map(hourRow.decode);
}

const requestRow = rowCodec({
  at: date,
  method: text,
  path: text,
  requestId: text,
  status: small,
  /** Milliseconds. */
  latencyMs: small,
});

/** The newest requests of a key, newest first. */
export async function newestRequests(
  sql: Sql,
  id: string,
  period: Period,
  campaignIds: readonly string[] | undefined,
): Promise<View<typeof requestRow>[]> {
  const rows = await sql<StoredRow[]>`
    select ${requestRow.columns(sql, 'api_key_request')} from commerce.api_key_request
    where key_id = ${id} and ${within(sql, period, campaignIds)}
    order by number desc limit ${MAX_REQUESTS}`;
  return rows.map(requestRow.decode);
}

function within(sql: Sql, { from, to }: Period, campaignIds: readonly string[] | undefined) {
  return sql`at >= ${from.toISOString()}::timestamptz and at < ${to.toISOString()}::timestamptz
    ${campaignIds === undefined ? sql`` : sql`and campaign_id = any(${[...campaignIds]}::text[])`}`;
}

/** Deletes some counts that are older than 90 days. @returns how many. */
export async function deleteOldUsage(pool: Pool, now: Date): Promise<number> {
  const before = deletedBefore('api-key-usage.forget', now);
  const { count } = await pool`
    delete from commerce.api_key_hour where (key_id, at, status_class, campaign_id) in (
      select key_id, at, status_class, campaign_id from commerce.api_key_hour
      where at < ${before}::timestamptz order by at limit ${DELETE_BATCH}
    )`;
  return count;
}
