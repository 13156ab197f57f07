import { type CampaignState, campaignState } from '../../../core/campaign.ts';
import type { Sql } from '../../connection.ts';
import {
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
import { campaignRow, campaignStateRow, creationRow } from '../../rows/campaign.ts';
import { joinCampaignState, joinPolicy } from '../as-of/campaign.ts';
import type { AsOf } from '../one-read.ts';
import { joinProduct, merchantView, productColumns, productView } from '../products/rows.ts';
import type { ReadHead } from '../snapshot.ts';
import { policyColumns, registeredPolicy } from './policy-rows.ts';

const campaignView = rowCodec({
  ...campaignRow.fields,
  /** Its state after its newest event at or below the settled block. */
  snapshot: campaignStateRow.fields,
  policy: registeredPolicy.fields,
  seller: merchantView.fields,
  product: optional(productView.fields),
  creation: creationRow.fields,
  indexedAt: date,
  moderation: { hidden: flag, reason: nullable(text).from('hidden_reason') },
  /** How many of its events are at or below the settled block. */
  seq: integer,
  /** Block of the newest of them. */
  newestBlock: integer,
});

/** A campaign as of the settled block. */
export interface CampaignView extends View<typeof campaignView> {
  /** State at the time of the settled block, such as `active` or `ended`. */
  readonly state: CampaignState;
}

/** Columns for `campaignOf`, of `campaign` with what `joinCampaign` joins. */
export function campaignColumns(sql: Sql) {
  return sql`
    ${campaignRow.columns(sql, 'campaign')}, ${creationRow.columns(sql, 'campaign')},
    campaign.indexed_at, coalesce(moderation.hidden, false) as hidden,
    moderation.reason as hidden_reason, campaign_state.seq,
    campaign_state.block_number as newest_block, ${productColumns(sql)}, ${policyColumns(sql)},
    ${campaignStateRow.columns(sql, 'campaign_state')}`;
}

/**
 * Joins to `campaign` all that `campaignColumns` names, as of the block: its state after the newest event
 * at or below it, and the policy in effect at its time. A few index probes for each campaign.
 */
export function joinCampaign(sql: Sql, at: AsOf) {
  return sql`
    ${joinCampaignState(sql, at)}
    ${joinPolicy(sql, at)}
    join ledger.journal registered
      on registered.campaign_id = campaign.campaign_id and registered.seq = policy.seq
    left join commerce.moderation moderation on moderation.campaign_id = campaign.campaign_id
    ${joinProduct(sql)}`;
}

/** Decodes a row of `campaignColumns`, as of the time of the head. */
export function campaignOf(row: StoredRow, head: ReadHead): CampaignView {
  const campaign = campaignView.decode(row);
  const { snapshot, policy, endsAt } = campaign;
  const terms = { endsAt, policyExpiry: policy.expiry };
  return { ...campaign, state: campaignState(snapshot, terms, head.timestamp) };
}
