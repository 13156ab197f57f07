import type { Address } from '../../../core/events.ts';
import type { NotificationKind } from '../../../core/notification.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { hexBytes } from '../../hex.ts';
import { fence, limitTo } from '../../planner.ts';
import {
  address,
  amount,
  as,
  date,
  id,
  integer,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  small,
  text,
  type View,
} from '../../row.ts';
import { refundGoalSql } from '../disputes/rows.ts';
import type { Snapshot } from '../snapshot.ts';
import { balancesAtEdges } from '../statements/balances.ts';

/** Things that a notification is about; each kind has some of them. */
interface NotificationSubject {
  /** Day in UTC of rewards, `2026-01-31`. */
  readonly day?: string;
  readonly saleId?: string;
  readonly policyVersion?: number;
  /** Unix seconds. */
  readonly effectiveAt?: number;
  readonly invitationId?: string;
  readonly disputeId?: string;
  readonly reportId?: string;
  readonly answer?: 'accepted' | 'declined';
}

const notification = rowCodec({
  id: text.from('item_id'),
  kind: as<NotificationKind>(),
  at: date,
  /** `at` in microseconds since 1970: the position in a list, together with the id. */
  atMicroseconds: id,
  campaignId: nullable(id),
  /** `null` unless an event of the chain is its source. */
  blockNumber: nullable(integer),
  /** Base units; `null` if it is about no amount. */
  amount: nullable(amount),
  /** Token of the amount. */
  token: optional({
    address: address.from('token'),
    symbol: text.from('token_symbol'),
    decimals: small.from('token_decimals'),
    name: text.from('token_name'),
  }),
  subject: as<NotificationSubject>(),
});

/** Something that happened to an account, as of the settled block. */
export type NotificationView = View<typeof notification>;

/** Position of a notification in the list. */
export interface NotificationCursor {
  readonly atMicroseconds: string;
  readonly id: string;
}

/** Filters of notifications, and the page. */
export interface NotificationQuery {
  readonly kind: NotificationKind | undefined;
  /** Unix seconds, with fractions, of the oldest item: of events of the chain, and of everything else. */
  readonly since: { readonly chain: number; readonly service: number };
  /** Days of rewards: unix seconds at which each begins and the last one ends, ascending, two or more. */
  readonly days: readonly number[];
  readonly after: NotificationCursor | undefined;
  readonly limit: number;
}

/** Newest refund requests of an account whose refunds are reported. */
const MAX_REQUESTS = 200;

/**
 * Notifications of an account, newest first: one statement. Nothing is stored for it, so what a reorg removes from
 * the ledger is no longer in it. Each source returns at most one page, which an index has in this order; rewards
 * are read as balances at the ends of days, and everything about campaigns by a probe for each.
 */
export async function listNotifications(
  { sql, head }: Snapshot,
  account: Address,
  query: NotificationQuery,
): Promise<NotificationView[]> {
  const { kind, limit } = query;
  const chosen = sources.filter(({ kinds }) => kind === undefined || kinds.includes(kind));
  const pages = chosen.map(({ isOnChain, select }, i) => {
    const onPage = isOnPage(sql, query, isOnChain);
    const source = select(sql, { account, head, onPage, limit });
    return sql`${i === 0 ? sql`` : sql`union all`} (
      select * from (${source}) item where ${onPage}
      order by at desc, item_id desc ${limitTo(sql, limit)}
    )`;
  });
  const rows = await sql<StoredRow[]>`
    with recursive ${balancesAtEdges(sql, head, { account }, query.days)},
    joined as materialized (
      select as_of.campaign_id, as_of.seq, first.seq as first_seq from as_of
      cross join lateral (
        select min(node.seq) as seq from ledger.node
        where node.owner = ${account} and node.campaign_id = as_of.campaign_id
      ) first
      where first.seq <= as_of.seq
    ), page as materialized (
      select * from (${pages}) item order by at desc, item_id desc ${limitTo(sql, limit)}
    )
    select page.*, (extract(epoch from page.at) * 1000000)::bigint as at_microseconds,
      campaign.token, campaign.token_symbol, campaign.token_decimals, campaign.token_name
    from page
    left join ledger.campaign on campaign.campaign_id = page.campaign_id
      and page.amount is not null
    order by page.at desc, page.item_id desc`;
  return rows.map(notification.decode);
}

/** A condition on `kind`, `at` and `item_id`: the item matches the filters, and is after the cursor. */
function isOnPage(
  sql: Sql,
  { kind, since, after }: Pick<NotificationQuery, 'kind' | 'since' | 'after'>,
  isOnChain: boolean,
) {
  const oldest = isOnChain ? since.chain : since.service;
  return sql`at >= to_timestamp(${oldest}::float8)
    ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
    ${after === undefined ? sql`` : isAfter(sql, after)}`;
}

function isAfter(sql: Sql, { atMicroseconds, id }: NotificationCursor) {
  const at = sql`timestamptz 'epoch' + ${atMicroseconds}::bigint * interval '1 microsecond'`;
  // The first condition is one that an index can begin with.
  return sql`and at <= ${at} and (at < ${at} or item_id < ${id})`;
}

/** Values that the select of a source depends on. */
interface Reader {
  readonly account: Address;
  /** Block that it is as of. */
  readonly head: Snapshot['head'];
  /** Condition on `kind`, `at` and `item_id`, for a source that reads a page of each campaign. */
  readonly onPage: Fragment;
  /** Number of items that a page needs. */
  readonly limit: number;
}

/** A select of notifications: some kinds of one source. */
interface Source {
  readonly kinds: readonly NotificationKind[];
  readonly isOnChain: boolean;
  /**
   * Selects `kind`, `at`, `item_id`, `campaign_id`, `block_number`, `amount` and `subject`, from the tables of
   * `balancesAtEdges` and `joined` too.
   */
  readonly select: (sql: Sql, reader: Reader) => Fragment;
}

const sources: readonly Source[] = [
  {
    kinds: ['rewards_claimable', 'rewards_refunded', 'rewards_reversed'],
    isOnChain: true,
    select: selectRewards,
  },
  { kinds: ['policy_scheduled'], isOnChain: true, select: selectPolicies },
  {
    kinds: ['campaign_paused', 'campaign_resumed', 'campaign_ended'],
    isOnChain: true,
    select: selectStops,
  },
  { kinds: ['campaign_expired'], isOnChain: true, select: selectExpired },
  { kinds: ['invitation_received'], isOnChain: false, select: selectInvitations },
  { kinds: ['invitation_answered'], isOnChain: false, select: selectInvitationAnswers },
  { kinds: ['refund_requested'], isOnChain: false, select: selectRequests },
  { kinds: ['refund_answered'], isOnChain: false, select: selectRefundAnswers },
  { kinds: ['refund_paid'], isOnChain: true, select: selectRefunds },
  { kinds: ['report_ready'], isOnChain: false, select: selectReports },
];

/**
 * Rewards that became claimable, were refunded or reversed: one item for a campaign and day, because one for each
 * sale would be thousands. `at` is the newest event of that day that moved the account's rewards there.
 */
function selectRewards(sql: Sql) {
  const vested = sql`claimable + claimed + reversed`;
  return sql`
    select 'rewards_' || moved.what as kind, to_timestamp(journal.block_timestamp) as at,
      ${itemId(sql, sql`'rewards_' || moved.what || '-' || day.campaign_id || '-' || to_char(day.starts_at, 'YYYYMMDD')`)},
      day.campaign_id, journal.block_number, moved.amount,
      jsonb_build_object('day', to_char(day.starts_at, 'YYYY-MM-DD')) as subject
    from (
      select campaign_id, n, entry_seq,
        to_timestamp(lag(moment) over days) at time zone 'UTC' as starts_at,
        ${vested} - lag(${vested}) over days as vested,
        refunded - lag(refunded) over days as refunded,
        reversed - lag(reversed) over days as reversed
      from edge_balance window days as (partition by campaign_id order by n)
    ) day
    cross join lateral (values
      ('claimable', day.vested), ('refunded', day.refunded), ('reversed', day.reversed)
    ) moved (what, amount)
    cross join lateral (
      select block_number, block_timestamp from ledger.journal
      where campaign_id = day.campaign_id and seq = day.entry_seq ${fence(sql)}
    ) journal
    where day.n > 0 and moved.amount > 0`;
}

/**
 * Policies that were scheduled after the account joined. Versions and event numbers in ids are padded, so that
 * ids of one block sort as its events do: a page of each campaign can then be read in their order.
 */
function selectPolicies(sql: Sql, { onPage, limit }: Reader) {
  return sql`
    select policy.* from joined
    cross join lateral (
      select kind, at, item_id, campaign_id, block_number, amount, subject from (
        select 'policy_scheduled' as kind, to_timestamp(journal.block_timestamp) as at,
          ${itemId(sql, sql`'policy_scheduled-' || policy.campaign_id || '-' || lpad(policy.version::text, 10, '0')`)},
          policy.campaign_id, journal.block_number, null::numeric as amount,
          jsonb_build_object('policyVersion', policy.version, 'effectiveAt', policy.effective_at)
            as subject, policy.version
        from ledger.policy
        join ledger.journal
          on journal.campaign_id = policy.campaign_id and journal.seq = policy.seq
        where policy.campaign_id = joined.campaign_id and policy.version > 1
          and policy.seq > joined.first_seq and policy.seq <= joined.seq
      ) policy
      where ${onPage} order by version desc ${limitTo(sql, limit)}
    ) policy`;
}

/** Campaigns that were paused, resumed or ended after the account joined. */
function selectStops(sql: Sql, { onPage, limit }: Reader) {
  return sql`
    select event.* from joined
    cross join lateral (
      select kind, at, item_id, campaign_id, block_number, amount, subject from (
        select case journal.name when 'CampaignPaused' then 'campaign_paused'
            when 'CampaignResumed' then 'campaign_resumed' else 'campaign_ended' end as kind,
          to_timestamp(journal.block_timestamp) as at,
          ${itemId(sql, sql`'campaign_state-' || journal.campaign_id || '-' || lpad(journal.seq::text, 16, '0')`)},
          journal.campaign_id, journal.block_number, null::numeric as amount,
          '{}'::jsonb as subject, journal.seq
        from ledger.journal
        where journal.campaign_id = joined.campaign_id
          and journal.seq > joined.first_seq and journal.seq <= joined.seq
          and journal.name in ('CampaignPaused', 'CampaignResumed', 'CampaignEnded')
      ) event
      where ${onPage} order by seq desc ${limitTo(sql, limit)}
    ) event`;
}

/** Campaigns of the account whose `endsAt` passed before they were ended. */
function selectExpired(sql: Sql, { head }: Reader) {
  return sql`
    select 'campaign_expired' as kind, to_timestamp(campaign.ends_at) as at,
      ${itemId(sql, sql`'campaign_expired-' || campaign.campaign_id`)}, campaign.campaign_id,
      null::bigint as block_number, null::numeric as amount, '{}'::jsonb as subject
    from joined join ledger.campaign on campaign.campaign_id = joined.campaign_id
    where campaign.ends_at <= ${head.timestamp} and not exists (
      select 1 from ledger.journal ended
      where ended.campaign_id = joined.campaign_id and ended.seq <= joined.seq
        and ended.name = 'CampaignEnded' and ended.block_timestamp < campaign.ends_at
    )`;
}

function selectInvitations(sql: Sql, { account }: Reader) {
  return sql`
    select 'invitation_received' as kind, invitation.created_at as at,
      ${itemId(sql, sql`'invitation_received-' || invitation.id`)}, invitation.campaign_id,
      null::bigint as block_number, null::numeric as amount,
      jsonb_build_object('invitationId', invitation.id) as subject
    from commerce.invitation where invitation.distributor = ${account}`;
}

function selectInvitationAnswers(sql: Sql, { account }: Reader) {
  return sql`
    select 'invitation_answered' as kind, invitation.responded_at as at,
      ${itemId(sql, sql`'invitation_answered-' || invitation.id`)}, invitation.campaign_id,
      null::bigint as block_number, null::numeric as amount,
      jsonb_build_object('invitationId', invitation.id, 'answer', invitation.status) as subject
    from commerce.invitation
    where invitation.merchant = ${account} and invitation.responded_at is not null`;
}

function selectRequests(sql: Sql, reader: Reader) {
  return sql`
    select 'refund_requested' as kind, dispute.opened_at as at,
      ${itemId(sql, sql`'refund_requested-' || dispute.id`)}, dispute.campaign_id,
      null::bigint as block_number, dispute.requested_amount as amount,
      jsonb_build_object('disputeId', dispute.id, 'saleId', sale.sale_id::text) as subject
    from commerce.dispute ${joinSaleOfDispute(sql, reader)}
    where dispute.merchant = ${reader.account}`;
}

function selectRefundAnswers(sql: Sql, reader: Reader) {
  return sql`
    select 'refund_answered' as kind, dispute.answered_at as at,
      ${itemId(sql, sql`'refund_answered-' || dispute.id`)}, dispute.campaign_id,
      null::bigint as block_number, dispute.accepted_amount as amount,
      jsonb_build_object('disputeId', dispute.id, 'saleId', sale.sale_id::text,
        'answer', dispute.answer) as subject
    from commerce.dispute ${joinSaleOfDispute(sql, reader)}
    where dispute.buyer = ${reader.account} and dispute.answered_at is not null
      and dispute.answer in ('accepted', 'declined')`;
}

/** Refunds on the chain that fulfilled one of the account's newest requests. */
function selectRefunds(sql: Sql, reader: Reader) {
  return sql`
    select 'refund_paid' as kind, to_timestamp(paid.block_timestamp) as at,
      ${itemId(sql, sql`'refund_paid-' || dispute.id`)}, dispute.campaign_id, paid.block_number,
      paid.refunded_total - dispute.refunded_before as amount,
      jsonb_build_object('disputeId', dispute.id, 'saleId', sale.sale_id::text) as subject
    from (
      select * from commerce.dispute where buyer = ${reader.account}
      order by opened_at desc, id desc limit ${MAX_REQUESTS}
    ) dispute
    ${joinSaleOfDispute(sql, reader)}
    cross join lateral (
      select journal.block_timestamp, journal.block_number, version.refunded_total
      from ledger.sale_version version
      join ledger.journal
        on journal.campaign_id = version.campaign_id and journal.seq = version.seq
      where version.campaign_id = dispute.campaign_id and version.sale_id = sale.sale_id
        and journal.block_number <= ${reader.head.number}
        and (version.state = 'refunded' or version.refunded_total >= ${refundGoalSql(sql)})
      order by version.seq limit 1
    ) paid`;
}

/** Files of reports that were made, whether or not they are stored still. */
function selectReports(sql: Sql, { account }: Reader) {
  return sql`
    select 'report_ready' as kind, report.finished_at as at,
      ${itemId(sql, sql`'report_ready-' || report.id`)}, null::bigint as campaign_id,
      null::bigint as block_number, null::numeric as amount,
      jsonb_build_object('reportId', report.id) as subject
    from commerce.report
    where report.merchant = ${account} and report.status in ('ready', 'expired')`;
}

/** Joins the sale of `dispute`; a dispute whose sale a reorg removed is left out until it is back. */
function joinSaleOfDispute(sql: Sql, { head }: Reader) {
  return sql`
    cross join lateral (
      select sale.sale_id from ledger.sale
      join ledger.campaign on campaign.campaign_id = sale.campaign_id
      where sale.order_key = ${hexBytes(sql, sql`dispute.order_key`)}
        and sale.buyer = ${hexBytes(sql, sql`dispute.buyer`)}
        and sale.campaign_id = dispute.campaign_id and sale.block_number <= ${head.number}
        and campaign.merchant = dispute.merchant
      limit 1
    ) sale`;
}

/** The id of an item as a column, which sorts by its bytes. */
function itemId(sql: Sql, value: Fragment) {
  return sql`(${value}) collate "C" as item_id`;
}
