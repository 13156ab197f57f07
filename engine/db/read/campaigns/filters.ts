import type { Address, TrustMode } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import { ledgerId } from '../../ids.ts';
import { addressOfSlug } from '../merchants/slug.ts';
import type { AsOf } from '../one-read.ts';

/** Status of a campaign, by which lists are filtered. */
export type CampaignStatus = 'active' | 'not_live' | 'paused' | 'ended' | 'expired';

/** Filters of a list of campaigns; one that is left out does not filter. */
export interface CampaignFilters {
  /** Words, each of which must be found. */
  readonly q?: string | undefined;
  readonly category?: string | undefined;
  /** Basis points. */
  readonly rateMin?: number | undefined;
  readonly rateMax?: number | undefined;
  readonly levels?: number | undefined;
  /** Seconds. */
  readonly holdMax?: number | undefined;
  /** Base units, decimal digits. */
  readonly budgetLeftMin?: string | undefined;
  readonly source?: TrustMode | undefined;
  readonly invitationOnly?: boolean | undefined;
  readonly status?: CampaignStatus | undefined;
  /** Slug or address. */
  readonly merchant?: string | undefined;
  /** Leaves out campaigns in which this account, in lower case, owns a node. */
  readonly notJoinedBy?: Address | undefined;
}

/** Each filter; a missing one does not compile. */
const FILTER_NAMES = Object.keys({
  q: true,
  category: true,
  rateMin: true,
  rateMax: true,
  levels: true,
  holdMax: true,
  budgetLeftMin: true,
  source: true,
  invitationOnly: true,
  status: true,
  merchant: true,
  notJoinedBy: true,
} satisfies Record<keyof CampaignFilters, true>) as readonly (keyof CampaignFilters)[];

/** True if any filter is given. */
export function hasFilter(filters: CampaignFilters): boolean {
  return FILTER_NAMES.some((name) => filters[name] !== undefined);
}

/** The category of a campaign whose product is not described here. */
export const UNKNOWN_CATEGORY = 'other';

/** Maximum number of words of a search; further words are ignored. */
const MAX_WORDS = 8;

/**
 * The conditions on `campaign` of the filters, after those of every list: created at or below the block,
 * with a policy in effect, and listed.
 */
export function campaignConditions(sql: Sql, at: AsOf, filters: CampaignFilters) {
  const { rateMin, rateMax, levels, holdMax, budgetLeftMin, source, invitationOnly } = filters;
  const parts = [
    rateMin !== undefined && sql`campaign.commission_bps >= ${rateMin}`,
    rateMax !== undefined && sql`campaign.commission_bps <= ${rateMax}`,
    levels !== undefined && sql`campaign.max_rewarded_ancestors = ${levels}`,
    holdMax !== undefined && sql`campaign.hold_seconds <= ${holdMax}::bigint`,
    budgetLeftMin !== undefined && sql`campaign.available >= ${budgetLeftMin}::numeric`,
    source !== undefined && sql`campaign.trust_mode = ${source}`,
    invitationOnly !== undefined && sql`campaign.invite_only = ${invitationOnly}`,
    filters.status !== undefined &&
      inStatus(sql, at.timestamp, filters.status, { knownListed: true }),
    filters.category !== undefined && inCategory(sql, filters.category),
    filters.merchant !== undefined && ofMerchant(sql, filters.merchant),
    filters.notJoinedBy !== undefined && notJoined(sql, at, filters.notJoinedBy),
    ...searchWords(filters.q).map((word) => withWord(sql, word)),
  ];
  return sql`
    campaign.created_block <= ${at.number} and campaign.policy_version is not null
    and ${isListed(sql)}
    ${parts.map((part) => (part === false ? sql`` : sql`and ${part}`))}`;
}

/**
 * A condition: lists show `campaign`, because no operator has hidden it and its merchant has not unlisted
 * it. Reads by id return it in any case.
 */
export function isListed(sql: Sql) {
  return sql`not exists (
      select 1 from commerce.moderation
      where moderation.campaign_id = campaign.campaign_id and moderation.hidden
    ) and not exists (
      select 1 from commerce.campaign_settings settings
      where settings.campaign_id = campaign.campaign_id and settings.merchant = campaign.merchant
        and not settings.listed
    )`;
}

/**
 * A condition: `campaign` is in a status at a clock in unix seconds (docs/reference/protocol.md#state).
 * @param knownListed true if another condition is `isListed`, so that hidden campaigns need not be looked up again.
 */
export function inStatus(
  sql: Sql,
  clock: AsOf['timestamp'],
  status: CampaignStatus,
  { knownListed = false }: { readonly knownListed?: boolean } = {},
) {
  if (status === 'ended') return sql`campaign.ended`;
  const expired = sql`(campaign.ends_at <= ${clock} or campaign.policy_expiry <= ${clock})`;
  if (status === 'expired') return sql`not campaign.ended and ${expired}`;
  const running = sql`not campaign.ended and not ${expired}`;
  if (status === 'paused') return sql`${running} and campaign.paused`;
  const selling = takesSales(sql, clock, knownListed);
  return sql`${running} and not campaign.paused
    and ${status === 'active' ? selling : sql`not ${selling}`}`;
}

/** A condition: `campaign`, which runs and is not paused, takes sales. It is `saleRefusals` of the core. */
function takesSales(sql: Sql, clock: AsOf['timestamp'], knownListed: boolean) {
  const isShown = sql`and not exists (
      select 1 from commerce.moderation
      where moderation.campaign_id = campaign.campaign_id and moderation.hidden
    )`;
  return sql`(
    campaign.funded and campaign.starts_at <= ${clock}
    and campaign.pending_count + campaign.finalized_count + campaign.refunded_count
      < campaign.sale_capacity
    ${knownListed ? sql`` : isShown}
    and not exists (
      select 1 from commerce.merchant closed
      where closed.address = campaign.merchant and closed.closed_at is not null
    )
  )`;
}

function inCategory(sql: Sql, category: string) {
  const found = sql`
    select 1 from commerce.merchant
    join commerce.product on product.merchant_id = merchant.id
    where merchant.address = campaign.merchant and product.sku_hash = campaign.sku_hash
      and product.status <> 'draft'`;
  // In a select of its own the planner expects the same number of rows for each category: one plan for all.
  const named = sql`exists (${found} and product.category = (select ${category}::text))`;
  return category === UNKNOWN_CATEGORY ? sql`(${named} or not exists (${found}))` : named;
}

function ofMerchant(sql: Sql, merchant: string) {
  if (isAddress(merchant)) return sql`campaign.merchant = ${merchant.toLowerCase()}`;
  return sql`campaign.merchant = ${addressOfSlug(sql, merchant.toLowerCase())}`;
}

function notJoined(sql: Sql, at: AsOf, account: Address) {
  return sql`not exists (
    select 1 from ledger.node
    where node.owner = ${account} and node.campaign_id = campaign.campaign_id
      and node.block_number <= ${at.number}
  )`;
}

/** The words of a search, 8 at most. */
export function searchWords(q: string | undefined): string[] {
  return (q ?? '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
}

/** A condition: the word begins a word of title, summary, merchant or symbol, or is an address or an id. */
function withWord(sql: Sql, word: string) {
  const query = prefixQuery(word);
  const id = ledgerId(word);
  return sql`campaign.campaign_id in (
    select found.campaign_id from commerce.product
    join commerce.merchant on merchant.id = product.merchant_id
    join ledger.campaign found
      on found.merchant = merchant.address and found.sku_hash = product.sku_hash
    where product.words @@ to_tsquery('simple', ${query}) and product.status <> 'draft'
    union all
    select found.campaign_id from commerce.merchant
    join ledger.campaign found on found.merchant = merchant.address
    where merchant.words @@ to_tsquery('simple', ${query})
    union all
    select found.campaign_id from ledger.campaign found
    where lower(found.token_symbol) like ${`${escapeLike(word.toLowerCase())}%`}
    ${id === undefined ? sql`` : sql`union all select ${id}::bigint`}
    ${isAddress(word) ? sql`union all ${byAddress(sql, word.toLowerCase())}` : sql``}
  )`;
}

function byAddress(sql: Sql, address: string) {
  return sql`
    select found.campaign_id from ledger.campaign found where found.merchant = ${address}
    union all
    select found.campaign_id from ledger.campaign found where found.token = ${address}`;
}

/** A text-search query for words that begin with the word's parts of letters and digits. */
export function prefixQuery(word: string): string {
  const parts = word.match(/[\p{L}\p{N}]+/gu) ?? [];
  return parts.map((part) => `${part}:*`).join(' & ');
}

/** Escapes the characters that have a meaning in LIKE. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

function isAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}
