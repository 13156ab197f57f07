import {
  type Campaign,
  type CampaignState,
  campaignState,
  type Standing,
} from '../../core/campaign.ts';
import type { Address, Hex, TrustMode } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { type StandingRow, standingColumnNames, standingOf } from '../write/standing-columns.ts';
import { toInteger } from './ids.ts';
import type { AsOf } from './one-read.ts';
import {
  joinPolicy,
  type PolicyRow,
  policyColumns,
  policyOf,
  type RegisteredPolicy,
  type TransactionPlace,
} from './policy-rows.ts';
import {
  type MerchantView,
  merchantOf,
  type ProductRow,
  type ProductView,
  productColumns,
  productJoin,
  productOf,
} from './product-rows.ts';
import type { ReadHead } from './snapshot.ts';
import { joinStanding } from './standing.ts';

/** A campaign as of the settled block. */
export interface CampaignView extends Campaign {
  readonly state: CampaignState;
  readonly standing: Standing;
  readonly policy: RegisteredPolicy;
  readonly seller: MerchantView;
  readonly product: ProductView | null;
  readonly creation: TransactionPlace;
  readonly indexedAt: Date;
  readonly moderation: { readonly hidden: boolean; readonly reason: string | null };
  /** How many of its events are at or below the settled block. */
  readonly seq: number;
  /** Block of the newest of them. */
  readonly newestBlock: number;
}

export interface CampaignRow extends StandingRow, PolicyRow, ProductRow {
  campaign_id: string;
  token: Address;
  token_decimals: number;
  token_symbol: string;
  token_name: string;
  sku_hash: Hex;
  metadata_hash: Hex;
  starts_at: string;
  ends_at: string;
  trust_mode: TrustMode;
  invite_only: boolean;
  nodes_per_account: string;
  salt: Hex;
  terms_hash: Hex;
  created_block: string;
  created_timestamp: string;
  created_transaction: Hex;
  indexed_at: Date;
  hidden: boolean;
  hidden_reason: string | null;
  seq: string;
  newest_block: string;
}

export function campaignColumns(sql: Sql) {
  const standing = sql(standingColumnNames.map((name) => `standing.${name}`));
  return sql`
    campaign.campaign_id, campaign.token, campaign.token_decimals, campaign.token_symbol,
    campaign.token_name, campaign.sku_hash, campaign.metadata_hash, campaign.starts_at,
    campaign.ends_at, campaign.trust_mode, campaign.invite_only, campaign.nodes_per_account,
    campaign.salt, campaign.terms_hash, campaign.created_block,
    campaign.created_timestamp, campaign.created_transaction, campaign.indexed_at,
    coalesce(moderation.hidden, false) as hidden, moderation.reason as hidden_reason,
    standing.seq, standing.block_number as newest_block,
    ${productColumns(sql)}, ${policyColumns(sql)}, ${standing}`;
}

/**
 * Joins to `campaign` all that `campaignColumns` names, as of the settled block: its standing after
 * the newest event at or below it, and the policy in effect at its time. Index probes only, a few
 * for each campaign.
 */
export function campaignJoins(sql: Sql, at: AsOf) {
  return sql`
    ${joinStanding(sql, at)}
    ${joinPolicy(sql, at)}
    join ledger.journal registered
      on registered.campaign_id = campaign.campaign_id and registered.seq = policy.seq
    left join commerce.moderation moderation on moderation.campaign_id = campaign.campaign_id
    ${productJoin(sql)}`;
}

export function campaignOf(row: CampaignRow, head: ReadHead): CampaignView {
  const standing = standingOf(row);
  const policy = policyOf(row);
  const endsAt = toInteger(row.ends_at);
  return {
    campaignId: row.campaign_id,
    merchant: row.merchant,
    token: row.token,
    tokenDecimals: row.token_decimals,
    tokenSymbol: row.token_symbol,
    tokenName: row.token_name,
    skuHash: row.sku_hash,
    metadataHash: row.metadata_hash,
    startsAt: toInteger(row.starts_at),
    endsAt,
    trustMode: row.trust_mode,
    inviteOnly: row.invite_only,
    nodesPerAccount: toInteger(row.nodes_per_account),
    salt: row.salt,
    termsHash: row.terms_hash,
    state: campaignState(standing, { endsAt, policyExpiry: policy.expiry }, head.timestamp),
    standing,
    policy,
    seller: merchantOf(row),
    product: productOf(row),
    creation: {
      hash: row.created_transaction,
      blockNumber: toInteger(row.created_block),
      timestamp: toInteger(row.created_timestamp),
    },
    indexedAt: row.indexed_at,
    moderation: { hidden: row.hidden, reason: row.hidden_reason },
    seq: toInteger(row.seq),
    newestBlock: toInteger(row.newest_block),
  };
}
