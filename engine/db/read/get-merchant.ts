import type { Address } from '../../core/events.ts';
import type { ProductMedia } from '../commerce/save-product.ts';
import type { Sql } from '../connection.ts';
import { campaignConditions } from './campaign-filters.ts';
import { toInteger } from './ids.ts';
import type { MerchantView } from './product-rows.ts';
import type { Snapshot } from './snapshot.ts';

/** A merchant as everybody may see it. */
export interface MerchantDetail extends MerchantView {
  /** What it says of itself; `null` where it has no profile. */
  readonly about: {
    readonly description: string;
    readonly websiteUrl: string | null;
    readonly supportEmail: string | null;
    readonly logo: ProductMedia | null;
    readonly createdAt: Date;
  } | null;
  /** Campaigns that it created at or below the settled block. */
  readonly campaignCount: number;
  /** Listed ones that take sales now. */
  readonly liveCampaignCount: number;
}

interface MerchantRow {
  address: Address;
  id: string | null;
  slug: string;
  name: string;
  description: string;
  website_url: string | null;
  support_email: string | null;
  logo: ProductMedia | null;
  closed: boolean;
  created_at: Date;
  campaigns: string;
  live_campaigns: string;
}

/**
 * A merchant by its slug, or by the address of its account.
 * @returns `undefined` where there is no such profile, nor any campaign of that address.
 */
export async function getMerchant(
  { sql, head }: Snapshot,
  key: string,
): Promise<MerchantDetail | undefined> {
  const [row] = await sql<MerchantRow[]>`
    select named.address, merchant.id, merchant.slug, merchant.name, merchant.description,
      merchant.website_url, merchant.support_email, merchant.logo, merchant.created_at,
      merchant.closed_at is not null as closed,
      (
        select count(*) from ledger.campaign campaign
        where campaign.merchant = named.address and campaign.created_block <= ${head.number}
      ) as campaigns,
      (
        select count(*) from ledger.campaign campaign
        where campaign.merchant = named.address
          and ${campaignConditions(sql, head, { status: 'active' })}
      ) as live_campaigns
    from (${addressOf(sql, key)}) named
    left join commerce.merchant merchant on merchant.address = named.address`;
  if (row === undefined) return undefined;
  const campaignCount = toInteger(row.campaigns);
  if (row.id === null && campaignCount === 0) return undefined;
  const { address, id, slug, name, closed, description, logo } = row;
  return {
    address,
    profile: id === null ? null : { id, slug, name, closed },
    about:
      id === null
        ? null
        : {
            description,
            websiteUrl: row.website_url,
            supportEmail: row.support_email,
            logo,
            createdAt: row.created_at,
          },
    campaignCount,
    liveCampaignCount: toInteger(row.live_campaigns),
  };
}

/** An address is taken as one, whatever slugs there are. */
function addressOf(sql: Sql, key: string) {
  if (/^0x[0-9a-fA-F]{40}$/.test(key)) return sql`select ${key.toLowerCase()}::text as address`;
  return sql`select address from commerce.merchant where slug = ${key}`;
}
