import type { Fragment, Sql } from '../../connection.ts';
import { probeId } from '../../ids.ts';
import {
  address,
  as,
  flag,
  id,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';
import { policyRow } from '../../rows/campaign.ts';
import { transactionRow } from '../../rows/event.ts';
import { saleRow } from '../../rows/sale.ts';
import type { NamedFragments } from '../../sql.ts';
import { type AsOf, jsonRows, type OneRead } from '../one-read.ts';
import { joinSoldProduct } from '../products/rows.ts';
import type { ReadHead } from '../snapshot.ts';
import { eventOf, saleEventRows } from './events.ts';
import { levelView, missedOf, saleMissedRows, withState } from './levels.ts';
import {
  evidenceColumns,
  evidenceFields,
  joinEvidence,
  MAX_EVENTS,
  type ReceiptView,
} from './receipt.ts';
import { termsColumns, termsView } from './rows.ts';

/** Result of a read if only `receiptRead` can tell what the receipt was at the settled block. */
export const NEEDS_WHOLE_READ = Symbol('a receipt that must be read as of the settled block');

/** Columns of the newest rows of a sale, before it is known that they are those of the settled block. */
const newestSale = rowCodec({
  campaignId: id,
  /** Sequence number of the event that recorded it. */
  seq: integer,
  /** Sequence number of the newest event that changed it, settled or not. */
  changedSeq: integer,
  ...saleRow.fields,
  record: transactionRow.fields,
  ...termsView.fields,
  policy: policyRow.fields,
  ...evidenceFields,
  refundPolicy: nullable(text),
  /** True if its campaign has any. */
  hasDiscrepancies: flag,
});

/** A level, its node, and the parent of that node if it is of the last level that is rewarded. */
const pathLevel = rowCodec({
  ...levelView.fields,
  owner: nullable(address),
  parentNodeId: nullable(id),
  beyondOwner: nullable(address),
  beyondParentNodeId: nullable(id),
});

type PathLevel = View<typeof pathLevel>;

const newestLists = rowCodec({
  levels: as<readonly StoredRow[]>(),
  missed: as<readonly StoredRow[]>(),
  events: as<readonly StoredRow[]>(),
});

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
    answer: ([row], head) => (row === undefined ? undefined : viewOf(row, head)),
  };
}

function select(sql: Sql, at: AsOf, { saleId }: NamedFragments<'saleId'>) {
  const sale = { campaignId: sql`sold.campaign_id`, saleId: sql`sold.sale_id` };
  return sql`
    select sold.*, ${pathLevelRows(sql)} as levels, ${saleMissedRows(sql, sale)} as missed,
      ${saleEventRows(sql, { ...sale, throughBlock: at.number, limit: MAX_EVENTS })} as events
    from (${newestById(sql, at, saleId)}) sold`;
}

function newestById(sql: Sql, at: AsOf, saleId: Fragment) {
  return sql`
    select sale.campaign_id, sale.seq, sale.changed_seq, ${saleRow.columns(sql, 'sale')},
      ${transactionRow.columns(sql, 'sale')}, ${termsColumns(sql)},
      ${policyRow.columns(sql, 'policy')}, ${evidenceColumns(sql)}, product.refund_policy,
      exists (
        select from ledger.discrepancy where campaign_id = sale.campaign_id
      ) as has_discrepancies
    from ledger.sale sale
    join ledger.campaign campaign on campaign.campaign_id = sale.campaign_id
    ${joinSoldProduct(sql)} ${joinEvidence(sql)}
    where sale.sale_id = ${saleId} and sale.block_number <= ${at.number}
    order by sale.block_number desc, sale.campaign_id desc limit 1`;
}

function pathLevelRows(sql: Sql) {
  const rows = sql`
    select level.*, claim.block_number as claim_block, node.owner, node.parent_node_id,
      beyond.owner as beyond_owner, beyond.parent_node_id as beyond_parent_node_id
    from ledger.sale_level level
    left join ledger.node on node.campaign_id = level.campaign_id and node.node_id = level.node_id
    -- Probed with null, which finds nothing, except for the last level.
    left join ledger.node beyond on beyond.campaign_id = level.campaign_id
      and beyond.node_id = case when level.level = sold.max_rewarded_ancestors
        then node.parent_node_id end
    left join ledger.bucket on bucket.campaign_id = level.campaign_id
      and bucket.account = level.recipient and bucket.last_claim_seq > level.vested_seq
    left join ledger.journal claim on claim.campaign_id = bucket.campaign_id
      and claim.seq = bucket.last_claim_seq
    where level.campaign_id = sold.campaign_id and level.sale_id = sold.sale_id`;
  return jsonRows(sql, rows, pathLevel, 'each.level');
}

function viewOf(row: StoredRow, head: ReadHead): ReceiptView | typeof NEEDS_WHOLE_READ {
  const sale = newestSale.decode(row);
  const lists = newestLists.decode(row);
  const levels = lists.levels.map(pathLevel.decode);
  const events = lists.events.map(eventOf);
  const recorded = events.find(({ seq }) => seq === sale.seq);
  const newest = events.at(-1);
  const path = pathOf(sale, levels);
  if (
    recorded === undefined ||
    newest === undefined ||
    path === undefined ||
    events.length === MAX_EVENTS ||
    sale.changedSeq > newest.seq ||
    sale.hasDiscrepancies ||
    levels.some(({ claimBlock }) => claimBlock !== null && claimBlock > head.number)
  ) {
    return NEEDS_WHOLE_READ;
  }
  return {
    sale: {
      ...sale,
      newestBlock: newest.blockNumber,
      recordedBlockHash: recorded.blockHash,
      recordedLogIndex: recorded.logIndex,
    },
    path,
    levels: levels.map((level) => withState(level, sale.state)),
    missed: missedOf(lists.missed),
    events,
    discrepancies: [],
  };
}

/** The nodes of the levels and the one beyond them; `undefined` if they are not the path from the sale's node. */
function pathOf(
  { nodeId, policy }: Pick<View<typeof newestSale>, 'nodeId' | 'policy'>,
  levels: readonly PathLevel[],
): ReceiptView['path'] | undefined {
  const path: ReceiptView['path'][number][] = [];
  let next = nodeId;
  for (const level of levels) {
    const { owner, parentNodeId } = level;
    if (owner === null || level.nodeId !== next) return undefined;
    path.push({ nodeId: level.nodeId, parentNodeId, owner });
    next = parentNodeId;
    if (level.level !== policy.maxRewardedAncestors || next === null) continue;
    const { beyondOwner, beyondParentNodeId } = level;
    if (beyondOwner === null) return undefined;
    path.push({ nodeId: next, parentNodeId: beyondParentNodeId, owner: beyondOwner });
    next = null;
  }
  return next === null ? path : undefined;
}
