import type { Hex } from '../../core/events.ts';
import type { Pool, Sql } from '../connection.ts';
import { type JoiningQuery, pageOfJoining } from '../read/campaigns/joining-page.ts';
import {
  address,
  as,
  date,
  id,
  nullable,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../row.ts';

/** Status of a request to join. */
export type JoinRequestStatus = 'pending' | 'invited' | 'declined';

const requestRow = rowCodec({
  /** The order of lists: higher is newer. */
  number: id,
  id: text,
  merchant: address,
  campaignId: id,
  termsHash: as<Hex>(),
  distributor: address,
  message: text,
  status: as<JoinRequestStatus>(),
  reason: nullable(text),
  createdAt: date,
  answeredAt: nullable(date),
});

/** A request of an account to join a campaign. */
export type JoinRequest = View<typeof requestRow>;

/** Limits of requests. */
export const MAX_REQUESTS = {
  /** Requests of one account in 24 hours. */
  perDay: 20,
  /** Unanswered requests to one merchant. */
  waiting: 1_000,
} as const;

/** Days after a refusal in which an account cannot ask for the same campaign again. */
export const DECLINED_DAYS = 30;

export type NewJoinRequest = Pick<
  JoinRequest,
  'id' | 'merchant' | 'campaignId' | 'termsHash' | 'distributor' | 'message'
>;

/** Outcome of a new request. Except for `sent`, nothing changed. */
export type SentRequest =
  | { readonly outcome: 'sent'; readonly request: JoinRequest }
  /** One waits for its answer, or was declined lately. */
  | { readonly outcome: 'known'; readonly request: JoinRequest }
  /** The account has asked as often as it may, or the merchant has as many as it may. */
  | { readonly outcome: 'account-full' | 'merchant-full' };

/** Stores a request to join. Concurrent ones of an account for a campaign store one. */
export async function sendJoinRequest(
  pool: Pool,
  sent: NewJoinRequest,
  now: Date,
): Promise<SentRequest> {
  const { merchant, campaignId, distributor } = sent;
  const at = now.toISOString();
  return await pool.begin(async (sql) => {
    const [known] = await sql<StoredRow[]>`
      select * from commerce.join_request
      where distributor = ${distributor} and campaign_id = ${campaignId} and merchant = ${merchant}
        and (status = 'pending' or (status = 'declined'
          and answered_at > ${at}::timestamptz - make_interval(days => ${DECLINED_DAYS})))
      order by number desc limit 1`;
    if (known !== undefined) return { outcome: 'known', request: requestRow.decode(known) };
    const [counted] = await sql<{ own: number; waiting: number }[]>`
      select (
        select count(*)::int from commerce.join_request
        where distributor = ${distributor} and created_at > ${at}::timestamptz - interval '1 day'
      ) as own, (
        select count(*)::int from commerce.join_request
        where merchant = ${merchant} and status = 'pending'
      ) as waiting`;
    if ((counted?.own ?? 0) >= MAX_REQUESTS.perDay) return { outcome: 'account-full' };
    if ((counted?.waiting ?? 0) >= MAX_REQUESTS.waiting) return { outcome: 'merchant-full' };
    const [row] = await sql<StoredRow[]>`
      insert into commerce.join_request
        (id, merchant, campaign_id, terms_hash, distributor, message, created_at)
      values (${sent.id}, ${merchant}, ${campaignId}, ${sent.termsHash}, ${distributor},
        ${sent.message}, ${at}::timestamptz)
      on conflict (distributor, campaign_id, merchant) where status = 'pending' do nothing
      returning *`;
    if (row !== undefined) return { outcome: 'sent', request: requestRow.decode(row) };
    const [other] = await sql<StoredRow[]>`
      select * from commerce.join_request
      where distributor = ${distributor} and campaign_id = ${campaignId} and merchant = ${merchant}
        and status = 'pending'`;
    if (other === undefined) throw new Error('A request was refused by one that does not exist.');
    return { outcome: 'known', request: requestRow.decode(other) };
  });
}

/** Requests to join, newest first: one statement. Those of a campaign that a reorg replaced are left out. */
export async function listJoinRequests(
  sql: Sql,
  query: JoiningQuery<JoinRequestStatus>,
): Promise<JoinRequest[]> {
  const rows = await sql<StoredRow[]>`
    select request.* from commerce.join_request request
    join ledger.campaign campaign on campaign.campaign_id = request.campaign_id
      and campaign.terms_hash = request.terms_hash
    ${pageOfJoining(sql, sql`request`, sql`request.status`, query)}`;
  return rows.map(requestRow.decode);
}

/** A request to a merchant, locked until the end of the transaction; `undefined` if there is none. */
export async function lockJoinRequest(
  sql: Sql,
  { id, merchant }: Pick<JoinRequest, 'id' | 'merchant'>,
): Promise<JoinRequest | undefined> {
  const [row] = await sql<StoredRow[]>`
    select * from commerce.join_request where id = ${id} and merchant = ${merchant} for update`;
  return row && requestRow.decode(row);
}

/** Stores the answer to a request that is locked. */
export async function answerJoinRequest(
  sql: Sql,
  id: string,
  answer: { readonly status: 'invited' | 'declined'; readonly reason: string | null },
  now: Date,
): Promise<JoinRequest> {
  const [row] = await sql<StoredRow[]>`
    update commerce.join_request
    set status = ${answer.status}, reason = ${answer.reason},
      answered_at = ${now.toISOString()}::timestamptz
    where id = ${id} returning *`;
  if (row === undefined) throw new Error(`There is no request ${id} to join.`);
  return requestRow.decode(row);
}
