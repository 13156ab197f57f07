import type { Sql } from '../../connection.ts';
import {
  address,
  as,
  date,
  flag,
  integer,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';
import type { ProductMedia } from '../../rows/commerce.ts';
import { campaignConditions } from '../campaigns/filters.ts';
import type { Snapshot } from '../snapshot.ts';
import { addressOfSlug } from './slug.ts';

const merchantDetail = rowCodec({
  address,
  profile: optional({ id: text, slug: text, name: text, closed: flag }),
  /** Its description of itself; `null` without a profile. */
  about: optional({
    description: text,
    websiteUrl: nullable(text),
    supportEmail: nullable(text),
    logo: nullable(as<ProductMedia>()),
    createdAt: date,
  }),
  /** Campaigns that it created at or below the settled block. */
  campaignCount: integer,
  /** Listed campaigns that take sales now. */
  liveCampaignCount: integer,
});

/** A merchant as everybody may see it. */
export type MerchantDetail = View<typeof merchantDetail>;

/**
 * A merchant by its slug, by one that it gave up, or by the address of its account.
 * @returns `undefined` if there is neither such a profile nor a campaign of that address.
 */
export async function getMerchant(
  { sql, head }: Snapshot,
  key: string,
): Promise<MerchantDetail | undefined> {
  const [row] = await sql<StoredRow[]>`
    select named.address, merchant.id, merchant.slug, merchant.name, merchant.description,
      merchant.website_url, merchant.support_email, merchant.logo, merchant.created_at,
      merchant.closed_at is not null as closed,
      (
        select count(*) from ledger.campaign campaign
        where campaign.merchant = named.address and campaign.created_block <= ${head.number}
      ) as campaign_count,
      (
        select count(*) from ledger.campaign campaign
        where campaign.merchant = named.address
          and ${campaignConditions(sql, head, { status: 'active' })}
      ) as live_campaign_count
    from (${addressOf(sql, key)}) named
    left join commerce.merchant merchant on merchant.address = named.address`;
  if (row === undefined) return undefined;
  const merchant = merchantDetail.decode(row);
  return merchant.profile === null && merchant.campaignCount === 0 ? undefined : merchant;
}

/** The address of a key. A key that looks like an address is one, even if there is such a slug. */
function addressOf(sql: Sql, key: string) {
  if (/^0x[0-9a-fA-F]{40}$/.test(key)) return sql`select ${key.toLowerCase()}::text as address`;
  return sql`select address from (select ${addressOfSlug(sql, key)} as address) found where address is not null`;
}
