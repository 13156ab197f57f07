import type { Sql } from '../../connection.ts';
import {
  as,
  date,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';
import type { ProductMedia } from '../../rows/commerce.ts';
import { joinCampaignState } from '../as-of/campaign.ts';
import { campaignConditions, prefixQuery, searchWords } from '../campaigns/filters.ts';
import { merchantView } from '../products/rows.ts';
import type { Snapshot } from '../snapshot.ts';

const listedMerchant = rowCodec({
  seller: merchantView.fields,
  logo: nullable(as<ProductMedia>()),
  createdAt: date,
  /** Campaigns that lists show, and those of them that take sales at the block. */
  campaigns: integer,
  liveCampaigns: integer,
  /** Sales of all its campaigns, in whatever state; and those that are finalized and not reversed. */
  sales: integer,
  settledSales: integer,
});

/** A merchant in the list. */
export type ListedMerchant = View<typeof listedMerchant>;

const merchantCursor = rowCodec({ key: text.from('name_order'), address: text.from('merchant') });

/** Cursor of a page of merchants: name in lower case, and address of the last one. */
export type MerchantCursor = View<typeof merchantCursor>;

interface MerchantQuery {
  /** A merchant is listed if, for each of these, a word of its name or slug begins with it. */
  readonly q: string | undefined;
  /** Only those with a campaign that takes sales. */
  readonly live: boolean | undefined;
  readonly after: MerchantCursor | undefined;
  readonly limit: number;
}

/**
 * A page of the merchants that have a profile and a listed campaign, by name: one statement. It probes the campaigns
 * of those on the page alone.
 */
export async function listMerchants(
  { sql, head }: Snapshot,
  { q, live, after, limit }: MerchantQuery,
): Promise<{ readonly items: ListedMerchant[]; readonly next: MerchantCursor | null }> {
  const owned = sql`ledger.campaign campaign`;
  const listed = sql`campaign.merchant = page.address and ${campaignConditions(sql, head, {})}`;
  const selling = sql`
    campaign.merchant = page.address and ${campaignConditions(sql, head, { status: 'active' })}`;
  const rows = await sql<StoredRow[]>`
    select page.*, totals.*,
      (select count(*) from ${owned} where ${listed}) as campaigns,
      (select count(*) from ${owned} where ${selling}) as live_campaigns
    from (
      select page.address, page.address as merchant, page.id as merchant_id, page.slug as merchant_slug,
        page.name as merchant_name, false as merchant_closed, page.logo, page.created_at,
        lower(page.name) collate "C" as name_order
      from commerce.merchant page
      where page.closed_at is null
        and exists (select from ${owned} where ${live ? selling : listed})
        ${live === false ? sql`and not exists (select from ${owned} where ${selling})` : sql``}
        ${q === undefined ? sql`` : sql`and ${hasWords(sql, q)}`}
        ${after ? isAfter(sql, after) : sql``}
      order by lower(page.name) collate "C", page.address limit ${limit + 1}
    ) page
    cross join lateral (
      select coalesce(sum(campaign_state.pending_count + campaign_state.finalized_count
          + campaign_state.refunded_count), 0) as sales,
        coalesce(sum(campaign_state.finalized_count - campaign_state.reversed_count), 0)
          as settled_sales
      from ${owned} ${joinCampaignState(sql, head)}
      where campaign.merchant = page.address and campaign.created_block <= ${head.number}
    ) totals
    order by page.name_order, page.address`;
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(listedMerchant.decode),
    next: last ? merchantCursor.decode(last) : null,
  };
}

function hasWords(sql: Sql, q: string) {
  const words = searchWords(q)
    .map(prefixQuery)
    .filter((word) => word !== '');
  return sql`page.words @@ to_tsquery('simple', ${words.join(' & ')})`;
}

function isAfter(sql: Sql, { key, address }: MerchantCursor) {
  return sql`and (lower(page.name) collate "C", page.address) > (${key}::text, ${address}::text)`;
}
