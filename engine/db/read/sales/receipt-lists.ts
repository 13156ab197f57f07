import type { Fragment, Sql } from '../../connection.ts';
import { limitTo } from '../../planner.ts';
import {
  as,
  byteAddress,
  id,
  listDecoder,
  nullable,
  rowCodec,
  type StoredList,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';
import { policyRow } from '../../rows/campaign.ts';
import { type AsOf, jsonList } from '../one-read.ts';
import { joinSoldProduct } from '../products/rows.ts';
import { eventView } from './events.ts';
import { levelView, missedIn, missedView } from './levels.ts';
import { beforeColumns, evidenceFields, MAX_EVENTS } from './receipt.ts';
import { termsColumns, termsView } from './rows.ts';

/** Columns of `listsOfSale`. */
const storedLists = rowCodec({
  terms: nullable(as<StoredList>()),
  policy: nullable(as<StoredList>()),
  before: nullable(as<StoredList>()),
  attestation: nullable(as<StoredList>()),
  levels: nullable(as<readonly StoredList[]>()),
  beyond: nullable(as<StoredList>()),
  missed: nullable(as<readonly StoredList[]>()),
  events: nullable(as<readonly StoredList[]>()),
});

const saleTerms = rowCodec({ ...termsView.fields, refundPolicy: nullable(text) });

/** The campaign just before the sale. */
const campaignBefore = rowCodec({
  liabilityBefore: evidenceFields.liabilityBefore,
  availableBefore: evidenceFields.availableBefore,
});

// The nonce is a number of any size, which JSON would round.
const attestationView = rowCodec({ ...evidenceFields.attestation.optional, nonce: id });

/** A level with its node. */
const pathLevel = rowCodec({
  ...levelView.fields,
  owner: nullable(byteAddress),
  parentNodeId: nullable(id),
});

/** See `pathLevel`. */
export type PathLevel = View<typeof pathLevel>;

/** The parent of the last level's node, which is no level. */
const beyondLevels = rowCodec({ nodeId: id, owner: byteAddress, parentNodeId: nullable(id) });

/** See `beyondLevels`. */
export type BeyondLevels = View<typeof beyondLevels>;

const decode = {
  terms: listDecoder(saleTerms),
  policy: listDecoder(policyRow),
  before: listDecoder(campaignBefore),
  attestation: listDecoder(attestationView),
  level: listDecoder(pathLevel),
  beyond: listDecoder(beyondLevels),
  missed: listDecoder(missedView),
  event: listDecoder(eventView),
};

/**
 * Columns of what belongs to `sale` at the block, each one JSON value: a list for a row, or a list of such lists. As
 * columns, what a campaign, its product and its policy say would pass through each join of the statement.
 */
export function listsOfSale(sql: Sql, at: AsOf) {
  const sale = { campaignId: sql`sale.campaign_id`, saleId: sql`sale.sale_id` };
  return sql`
    ${one(sql, saleTerms, termsOfSale(sql))} as terms,
    ${one(sql, policyRow, policyOfSale(sql))} as policy,
    ${one(sql, campaignBefore, campaignBeforeSale(sql))} as before,
    ${one(sql, attestationView, attestationOfSale(sql))} as attestation,
    ${all(sql, pathLevel, levelsOfSale(sql))} as levels,
    ${one(sql, beyondLevels, nodeBeyondLevels(sql))} as beyond,
    ${all(sql, missedView, missedIn(sql, sale))} as missed,
    ${all(sql, eventView, eventsOfSale(sql, at))} as events`;
}

/** Decodes `listsOfSale`: what is missing is null or empty, and levels and events are in their order. */
export function decodeLists(row: StoredRow) {
  const { terms, policy, before, attestation, levels, beyond, missed, events } =
    storedLists.decode(row);
  return {
    terms: terms && decode.terms(terms),
    policy: policy && decode.policy(policy),
    before: before && decode.before(before),
    attestation: attestation && decode.attestation(attestation),
    levels: (levels ?? []).map(decode.level).sort((a, b) => a.level - b.level),
    beyond: beyond && decode.beyond(beyond),
    missed: (missed ?? []).map(decode.missed),
    events: (events ?? []).map(decode.event).sort((a, b) => a.seq - b.seq),
  };
}

type ListCodec = Parameters<typeof jsonList>[2];

function one(sql: Sql, codec: ListCodec, row: Fragment) {
  return sql`(select ${jsonList(sql, 'each', codec)} from (${row}) each)`;
}

function all(sql: Sql, codec: ListCodec, rows: Fragment) {
  return sql`(select json_agg(${jsonList(sql, 'each', codec)}) from (${rows}) each)`;
}

/** Campaign and product of `sale`. */
function termsOfSale(sql: Sql) {
  return sql`
    select ${termsColumns(sql)}, product.refund_policy
    from ledger.campaign campaign ${joinSoldProduct(sql)}
    where campaign.campaign_id = sale.campaign_id`;
}

function policyOfSale(sql: Sql) {
  return sql`
    select ${policyRow.columns(sql, 'policy')} from ledger.policy policy
    where policy.campaign_id = sale.campaign_id and policy.version = sale.policy_version`;
}

function campaignBeforeSale(sql: Sql) {
  return sql`
    select ${beforeColumns(sql)} from ledger.journal before
    where before.campaign_id = sale.campaign_id and before.seq = sale.seq - 1`;
}

function attestationOfSale(sql: Sql) {
  return sql`
    select ${attestationView.columns(sql, 'attestation')} from ledger.attestation attestation
    where attestation.campaign_id = sale.campaign_id and attestation.sale_id = sale.sale_id`;
}

function levelsOfSale(sql: Sql) {
  return sql`
    select level.*, claim.block_number as claim_block, node.owner, node.parent_node_id
    from ledger.sale_level level
    left join ledger.node on node.campaign_id = level.campaign_id and node.node_id = level.node_id
    left join ledger.bucket on bucket.campaign_id = level.campaign_id
      and bucket.account = level.recipient and bucket.last_claim_seq > level.vested_seq
    left join ledger.journal claim on claim.campaign_id = bucket.campaign_id
      and claim.seq = bucket.last_claim_seq
    where level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id`;
}

function nodeBeyondLevels(sql: Sql) {
  return sql`
    select beyond.node_id, beyond.owner, beyond.parent_node_id
    from ledger.sale_level level
    join ledger.node on node.campaign_id = level.campaign_id and node.node_id = level.node_id
    join ledger.node beyond on beyond.campaign_id = node.campaign_id
      and beyond.node_id = node.parent_node_id
    where level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
    order by level.level desc limit 1`;
}

/** The settled events of `sale` in any order, and no more than one too many. */
function eventsOfSale(sql: Sql, at: AsOf) {
  return sql`
    select ${eventView.columns(sql, 'journal')} from ledger.journal
    where journal.campaign_id = sale.campaign_id and journal.sale_id = sale.sale_id
      and journal.block_number <= ${at.number}
    ${limitTo(sql, MAX_EVENTS)}`;
}
