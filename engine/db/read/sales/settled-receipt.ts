import type { Fragment, Sql } from '../../connection.ts';
import { probeId } from '../../ids.ts';
import { limitTo } from '../../planner.ts';
import {
  address,
  as,
  flag,
  id,
  integer,
  listDecoder,
  nullable,
  optional,
  rowCodec,
  type StoredList,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';
import { policyRow } from '../../rows/campaign.ts';
import { transactionRow } from '../../rows/event.ts';
import { saleRow } from '../../rows/sale.ts';
import type { NamedFragments } from '../../sql.ts';
import { type AsOf, jsonList, type OneRead } from '../one-read.ts';
import { joinSoldProduct } from '../products/rows.ts';
import type { ReadHead } from '../snapshot.ts';
import { eventView, withoutCampaign } from './events.ts';
import {
  type LevelView,
  levelView,
  missedIn,
  missedView,
  sortMissed,
  withState,
} from './levels.ts';
import { beforeColumns, evidenceFields, MAX_EVENTS, type ReceiptView } from './receipt.ts';
import { termsColumns, termsView } from './rows.ts';

/** Result of a read if only `receiptRead` can tell what the receipt was at the settled block. */
export const NEEDS_WHOLE_READ = Symbol('a receipt that must be read as of the settled block');

/** Columns of the newest row of a sale, before it is known that they are those of the settled block. */
const newestSale = rowCodec({
  campaignId: id,
  /** Sequence number of the event that recorded it. */
  seq: integer,
  /** Sequence number of the newest event that changed it, settled or not. */
  changedSeq: integer,
  ...saleRow.fields,
  record: transactionRow.fields,
  calldataEnd: evidenceFields.calldataEnd,
  /** True if its campaign has any. */
  hasDiscrepancies: flag,
});

/**
 * Rows that belong to it, each a list, and lists of such rows. As columns, what a campaign, its product and its
 * policy have in common with other sales would pass through each join of the statement.
 */
const newestLists = rowCodec({
  terms: nullable(as<StoredList>()),
  policy: nullable(as<StoredList>()),
  before: nullable(as<StoredList>()),
  attestation: nullable(as<StoredList>()),
  levels: nullable(as<readonly StoredList[]>()),
  pathEnd: nullable(as<StoredList>()),
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

/** Parent of the node of the last level, and the node that it is. */
const pathEnd = rowCodec({
  nodeId: id,
  parentNodeId: nullable(id),
  beyond: optional({
    owner: address.from('beyond_owner'),
    parentNodeId: nullable(id).from('beyond_parent_node_id'),
  }),
});

const decode = {
  terms: listDecoder(saleTerms),
  policy: listDecoder(policyRow),
  before: listDecoder(campaignBefore),
  attestation: listDecoder(attestationView),
  level: listDecoder(levelView),
  pathEnd: listDecoder(pathEnd),
  missed: listDecoder(missedView),
  event: listDecoder(eventView),
};

/**
 * Reads a sale's receipt at the settled block: one statement, which reads the newest rows and no versions. That
 * is right unless a later event has changed the sale or claimed one of its levels. Then, and for a campaign with
 * discrepancies, it returns `NEEDS_WHOLE_READ`. `undefined` if `getSale` finds no sale.
 */
export function settledReceiptRead(
  saleId: string,
): OneRead<StoredRow, ReceiptView | typeof NEEDS_WHOLE_READ | undefined, 'saleId'> {
  return {
    select,
    values: { saleId: probeId(saleId) },
    // While a reorg moves the id from one campaign to another, two sales can have it.
    answer: ([row, other], head) =>
      other !== undefined ? NEEDS_WHOLE_READ : row && viewOf(row, head),
  };
}

function select(sql: Sql, at: AsOf, { saleId }: NamedFragments<'saleId'>) {
  const one = (codec: Parameters<typeof jsonList>[2], row: Fragment) =>
    sql`(select ${jsonList(sql, 'each', codec)} from (${row}) each)`;
  const list = (codec: Parameters<typeof jsonList>[2], rows: Fragment) =>
    sql`(select json_agg(${jsonList(sql, 'each', codec)}) from (${rows}) each)`;
  return sql`
    select sale.campaign_id, sale.seq, sale.changed_seq, ${saleRow.columns(sql, 'sale')},
      ${transactionRow.columns(sql, 'sale')}, sale.calldata_end,
      exists (
        select from ledger.discrepancy where campaign_id = sale.campaign_id
      ) as has_discrepancies,
      ${one(saleTerms, termsOfSale(sql))} as terms,
      ${one(policyRow, policyOfSale(sql))} as policy,
      ${one(campaignBefore, campaignBeforeSale(sql))} as before,
      ${one(attestationView, attestationOfSale(sql))} as attestation,
      ${list(levelView, levelsOfSale(sql))} as levels,
      ${one(pathEnd, pathEndOfSale(sql))} as path_end,
      ${list(missedView, missedIn(sql, { campaignId: sql`sale.campaign_id`, saleId: sql`sale.sale_id` }))} as missed,
      ${list(eventView, eventsOfSale(sql, at))} as events
    from ledger.sale sale
    where sale.sale_id = ${saleId} and sale.block_number <= ${at.number}`;
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
    select level.*, claim.block_number as claim_block
    from ledger.sale_level level
    left join ledger.bucket on bucket.campaign_id = level.campaign_id
      and bucket.account = level.recipient and bucket.last_claim_seq > level.vested_seq
    left join ledger.journal claim on claim.campaign_id = bucket.campaign_id
      and claim.seq = bucket.last_claim_seq
    where level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id`;
}

/**
 * The last level's node, whose parent is no level. The fold takes the levels of a sale from the path of its node, so the
 * parent of any other level's node is the next level's.
 */
function pathEndOfSale(sql: Sql) {
  return sql`
    select node.node_id, node.parent_node_id, beyond.owner as beyond_owner,
      beyond.parent_node_id as beyond_parent_node_id
    from ledger.sale_level level
    join ledger.node on node.campaign_id = level.campaign_id and node.node_id = level.node_id
    left join ledger.node beyond on beyond.campaign_id = node.campaign_id
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

function viewOf(row: StoredRow, head: ReadHead): ReceiptView | typeof NEEDS_WHOLE_READ {
  const sale = newestSale.decode(row);
  const lists = newestLists.decode(row);
  const { terms, policy, before } = lists;
  const levels = (lists.levels ?? []).map(decode.level).sort((a, b) => a.level - b.level);
  const events = (lists.events ?? []).map(decode.event).sort((a, b) => a.seq - b.seq);
  const recorded = events.find(({ seq }) => seq === sale.seq);
  const newest = events.at(-1);
  if (
    terms === null ||
    policy === null ||
    before === null ||
    recorded === undefined ||
    newest === undefined ||
    events.length === MAX_EVENTS ||
    sale.changedSeq > newest.seq ||
    sale.hasDiscrepancies ||
    levels.some(({ claimBlock }) => claimBlock !== null && claimBlock > head.number)
  ) {
    return NEEDS_WHOLE_READ;
  }
  const { hasDiscrepancies: _none, seq: _seq, changedSeq: _changed, ...shown } = sale;
  const whole = {
    ...shown,
    ...decode.terms(terms),
    ...decode.before(before),
    policy: decode.policy(policy),
    attestation: lists.attestation && decode.attestation(lists.attestation),
    newestBlock: newest.blockNumber,
    recordedBlockHash: recorded.blockHash,
    recordedLogIndex: recorded.logIndex,
  };
  const path = pathOf(whole, levels, lists.pathEnd && decode.pathEnd(lists.pathEnd));
  if (path === undefined) return NEEDS_WHOLE_READ;
  return {
    sale: whole,
    path,
    levels: levels.map((level) => withState(level, sale.state)),
    missed: sortMissed((lists.missed ?? []).map(decode.missed)),
    events: events.map(withoutCampaign),
    discrepancies: [],
  };
}

/** The nodes of the levels and the one beyond them; `undefined` if they are not the path from the sale's node. */
function pathOf(
  { nodeId, policy }: Pick<ReceiptView['sale'], 'nodeId' | 'policy'>,
  levels: readonly Pick<LevelView, 'level' | 'nodeId' | 'recipient'>[],
  end: View<typeof pathEnd> | null,
): ReceiptView['path'] | undefined {
  const last = levels.at(-1);
  if (last === undefined) return nodeId === null ? [] : undefined;
  const isPath =
    levels[0]?.nodeId === nodeId && last.level === levels.length && last.nodeId === end?.nodeId;
  if (!isPath) return undefined;
  const path = levels.map((level, i) => ({
    nodeId: level.nodeId,
    parentNodeId: levels[i + 1]?.nodeId ?? end.parentNodeId,
    owner: level.recipient,
  }));
  if (end.parentNodeId === null) return path;
  if (last.level !== policy.maxRewardedAncestors || end.beyond === null) return undefined;
  return [...path, { nodeId: end.parentNodeId, ...end.beyond }];
}
