import type { Sql } from '../../connection.ts';
import { ledgerId, probeId } from '../../ids.ts';
import {
  address,
  amount,
  as,
  byteHash,
  flag,
  integer,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  small,
  text,
  type View,
} from '../../row.ts';
import { policyColumns, registeredPolicy } from '../campaigns/policy-rows.ts';
import { type NodeView, nodeView, pathRows, pathUp } from '../graph/nodes.ts';
import type { AsOf, OneRead } from '../one-read.ts';
import type { Snapshot } from '../snapshot.ts';
import {
  type DiscrepancyView,
  discrepancyView,
  eventOf,
  type SaleEvent,
  saleDiscrepancyRows,
  saleEventRows,
} from './events.ts';
import {
  type LevelView,
  levelOf,
  type MissedView,
  missedOf,
  type SaleAt,
  saleLevelRows,
  saleMissedRows,
} from './levels.ts';
import { joinSale, newestSeq, saleColumns, saleView } from './rows.ts';

/** Fields that decide the split of a sale, who attested it, and what is attached to it: `evidenceColumns`. */
export const { fields: evidenceFields } = rowCodec({
  /** Liability and available amount of the campaign just before the sale; base units. */
  liabilityBefore: amount,
  availableBefore: amount,
  attestation: optional({ signer: address, nonce: text }),
  /** End of its transaction's calldata (core/calldata-suffix.ts); `null` if it is not known. */
  calldataEnd: nullable(byteHash),
});

const saleWithPolicy = rowCodec({
  ...saleView.fields,
  policy: registeredPolicy.fields,
  /** Location of the event that recorded the sale. */
  recordedBlockHash: byteHash,
  recordedLogIndex: small,
  ...evidenceFields,
  newestSeq: integer,
  isChanged: flag,
  /** Refund policy of the version that was sold; `null` if its merchant has not described the product. */
  refundPolicy: nullable(text),
});

/** A sale with its policy and with what the campaign had just before it. */
export interface SaleWithPolicy extends View<typeof saleWithPolicy> {
  readonly at: SaleAt;
}

/** The sale of a receipt: without what only locates its events and its policy. */
export type ReceiptSale = Omit<SaleWithPolicy, 'at' | 'newestSeq' | 'isChanged' | 'policy'> & {
  readonly policy: Omit<SaleWithPolicy['policy'], 'registration'>;
};

/** Everything that the ledger has of a sale. */
export interface ReceiptView {
  readonly sale: ReceiptSale;
  /** The rewarded nodes, nearest first, and the one beyond them. */
  readonly path: readonly Pick<NodeView, 'nodeId' | 'parentNodeId' | 'owner'>[];
  readonly levels: readonly LevelView[];
  readonly missed: readonly MissedView[];
  readonly events: readonly SaleEvent[];
  readonly discrepancies: readonly DiscrepancyView[];
}

/** Maximum number of events in a receipt: a merchant can refund in ever smaller parts. */
export const MAX_EVENTS = 10_000;

/**
 * A sale by its id, which the contract assigns once. While a reorg moves the id from one campaign to
 * another, the sale of the newer block has it.
 * @returns `undefined` if there is none at the settled block.
 */
export async function getSale(
  { sql, head }: Snapshot,
  saleId: string,
): Promise<SaleWithPolicy | undefined> {
  const id = ledgerId(saleId);
  if (id === undefined) return undefined;
  const [row] = await sql<StoredRow[]>`${saleById(sql, head, id)}`;
  return row && withPolicyOf(row);
}

function saleById(sql: Sql, at: AsOf, id: string) {
  return sql`
    select ${saleColumns(sql)}, ${policyColumns(sql)},
      recorded.block_hash as recorded_block_hash, recorded.log_index as recorded_log_index,
      ${evidenceColumns(sql)}, ${newestSeq(sql)} as newest_seq,
      before_change.state is not null as is_changed, product.refund_policy
    from ledger.sale sale ${joinSale(sql, at)}
    join ledger.journal recorded
      on recorded.campaign_id = sale.campaign_id and recorded.seq = sale.seq
    ${joinEvidence(sql)}
    join ledger.journal registered
      on registered.campaign_id = policy.campaign_id and registered.seq = policy.seq
    where sale.sale_id = ${id} and sale.block_number <= ${at.number}
    order by sale.block_number desc, sale.campaign_id desc limit 1`;
}

/** Columns of `evidenceFields`, of what `joinEvidence` joins. */
function evidenceColumns(sql: Sql) {
  return sql`${beforeColumns(sql)}, attestation.signer, attestation.nonce, sale.calldata_end`;
}

/** Columns of `before`, a row of `journal`: liability and available amount of the campaign after it. */
export function beforeColumns(sql: Sql) {
  return sql`
    before.pending_reserved + before.vested_unclaimed + before.rewards_claimed as liability_before,
    before.available as available_before`;
}

/** Joins to `sale` its `policy`, its `attestation` if it has one, and the event `before` it in its campaign. */
function joinEvidence(sql: Sql) {
  return sql`
    join ledger.journal before
      on before.campaign_id = sale.campaign_id and before.seq = sale.seq - 1
    join ledger.policy policy
      on policy.campaign_id = sale.campaign_id and policy.version = sale.policy_version
    left join ledger.attestation attestation
      on attestation.campaign_id = sale.campaign_id and attestation.sale_id = sale.sale_id`;
}

/** The lists of a receipt, each one JSON value. */
const receiptLists = rowCodec({
  path: as<readonly StoredRow[]>(),
  levels: as<readonly StoredRow[]>(),
  missed: as<readonly StoredRow[]>(),
  events: as<readonly StoredRow[]>(),
  discrepancies: as<readonly StoredRow[]>(),
});

/**
 * Reads a sale's receipt as of any block: one statement. `undefined` if `getSale` finds none. At the settled
 * block, `readSettledReceipt` reads less.
 */
export function receiptRead(saleId: string): OneRead<StoredRow, ReceiptView | undefined> {
  return {
    select: (sql, at) => {
      const sale = {
        campaignId: sql`sold.campaign_id`,
        saleId: sql`sold.sale_id`,
        seq: sql`sold.newest_seq`,
        isChanged: sql`sold.is_changed`,
      };
      const range = { ...sale, throughSeq: sale.seq, limit: MAX_EVENTS };
      const path = pathUp(sql, at, {
        campaignId: sale.campaignId,
        nodeId: sql`sold.node_id`,
        limit: sql`sold.max_rewarded_ancestors + 1`,
      });
      return sql`
        select sold.*, ${pathRows(sql, path)} as path,
          ${saleLevelRows(sql, at, sale)} as levels, ${saleMissedRows(sql, sale)} as missed,
          ${saleEventRows(sql, range)} as events,
          ${saleDiscrepancyRows(sql, range)} as discrepancies
        from (${saleById(sql, at, probeId(saleId))}) sold`;
    },
    answer: ([row]) => {
      if (row === undefined) return undefined;
      const sale = withPolicyOf(row);
      const lists = receiptLists.decode(row);
      return {
        sale,
        path: lists.path.map(nodeView.decode),
        levels: lists.levels.map((level) => levelOf(level, sale.state)),
        missed: missedOf(lists.missed),
        events: lists.events.map(eventOf),
        discrepancies: lists.discrepancies.map(discrepancyView.decode),
      };
    },
  };
}

function withPolicyOf(row: StoredRow): SaleWithPolicy {
  const sale = saleWithPolicy.decode(row);
  const { campaignId, saleId, state, newestSeq: seq, isChanged } = sale;
  return { ...sale, at: { campaignId, saleId, state, seq, isChanged } };
}
