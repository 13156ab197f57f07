import type { Address, Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { ledgerId, probeId, toInteger } from './ids.ts';
import { type NodeRow, type NodeView, nodeOf, pathRows, pathUp } from './nodes.ts';
import type { AsOf, OneRead } from './one-read.ts';
import { type PolicyRow, policyColumns, policyOf, type RegisteredPolicy } from './policy-rows.ts';
import {
  type DiscrepancyView,
  type EventRow,
  eventOf,
  type SaleEvent,
  saleDiscrepancyRows,
  saleEventRows,
} from './sale-events.ts';
import {
  type LevelRow,
  type LevelView,
  levelOf,
  type MissedRow,
  type MissedView,
  missedOf,
  type SaleAt,
  saleLevelRows,
  saleMissedRows,
} from './sale-levels.ts';
import { type SaleRow, type SaleView, saleColumns, saleJoins, saleOf } from './sale-rows.ts';
import type { Snapshot } from './snapshot.ts';

/** A sale with its policy and with what the campaign had just before it. */
export interface SaleWithPolicy extends SaleView {
  readonly policy: RegisteredPolicy;
  readonly at: SaleAt;
  readonly recordedBlockHash: Hex;
  readonly recordedLogIndex: number;
  /** Base units. */
  readonly liabilityBefore: bigint;
  readonly availableBefore: bigint;
  readonly attestation: { readonly signer: Address; readonly nonce: string } | null;
}

/** Everything of a sale that the ledger has. */
export interface ReceiptView {
  readonly sale: SaleWithPolicy;
  /** The rewarded nodes, nearest first, and the one beyond them. */
  readonly path: readonly NodeView[];
  readonly levels: readonly LevelView[];
  readonly missed: readonly MissedView[];
  readonly events: readonly SaleEvent[];
  readonly discrepancies: readonly DiscrepancyView[];
}

/** Events that a receipt carries. The merchant may refund in ever smaller parts. */
const EVENTS_MOST = 10_000;

type WithPolicyRow = SaleRow &
  PolicyRow & {
    recorded_block_hash: Hex;
    recorded_log_index: number;
    liability_before: string;
    available_before: string;
    signer: Address | null;
    nonce: string | null;
    newest_seq: string;
    is_past: boolean;
  };

/**
 * A sale by its id, which the contract gives once. Where a reorg is handing the id from one campaign
 * to another, the newer block has it.
 * @returns `undefined` where there is none at the settled block.
 */
export async function getSale(
  { sql, head }: Snapshot,
  saleId: string,
): Promise<SaleWithPolicy | undefined> {
  const id = ledgerId(saleId);
  if (id === undefined) return undefined;
  const [row] = await sql<WithPolicyRow[]>`${saleById(sql, head, id)}`;
  return row && withPolicyOf(row);
}

function saleById(sql: Sql, at: AsOf, id: string) {
  return sql`
    select ${saleColumns(sql)}, ${policyColumns(sql)},
      recorded.block_hash as recorded_block_hash, recorded.log_index as recorded_log_index,
      before.pending_reserved + before.vested_unclaimed + before.rewards_claimed
        as liability_before,
      before.available as available_before, attestation.signer, attestation.nonce,
      newest.seq as newest_seq, past.state is not null as is_past
    from ledger.sale sale ${saleJoins(sql, at)}
    join ledger.journal recorded
      on recorded.campaign_id = sale.campaign_id and recorded.seq = sale.seq
    join ledger.journal before
      on before.campaign_id = sale.campaign_id and before.seq = sale.seq - 1
    join ledger.policy policy
      on policy.campaign_id = sale.campaign_id and policy.version = sale.policy_version
    join ledger.journal registered
      on registered.campaign_id = policy.campaign_id and registered.seq = policy.seq
    left join ledger.attestation attestation
      on attestation.campaign_id = sale.campaign_id and attestation.sale_id = sale.sale_id
    where sale.sale_id = ${id} and sale.block_number <= ${at.number}
    order by sale.block_number desc, sale.campaign_id desc limit 1`;
}

type ReceiptRow = WithPolicyRow & {
  path: NodeRow[];
  levels: LevelRow[];
  missed: MissedRow[];
  events: EventRow[];
  discrepancies: DiscrepancyView[];
};

/** A sale's receipt: one statement. `undefined` where `getSale` finds none. */
export function receiptRead(saleId: string): OneRead<ReceiptRow, ReceiptView | undefined> {
  return {
    select: (sql, at) => {
      const sale = {
        campaignId: sql`sold.campaign_id`,
        saleId: sql`sold.sale_id`,
        seq: sql`sold.newest_seq`,
        past: sql`sold.is_past`,
      };
      const range = { ...sale, throughSeq: sale.seq, limit: EVENTS_MOST };
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
      return {
        sale,
        path: row.path.map(nodeOf),
        levels: row.levels.map((level) => levelOf(level, sale.state)),
        missed: row.missed.map(missedOf),
        events: row.events.map(eventOf),
        discrepancies: row.discrepancies,
      };
    },
  };
}

function withPolicyOf(row: WithPolicyRow): SaleWithPolicy {
  const sale = saleOf(row);
  return {
    ...sale,
    policy: policyOf(row),
    at: {
      campaignId: sale.campaignId,
      saleId: sale.saleId,
      state: sale.state,
      seq: toInteger(row.newest_seq),
      past: row.is_past,
    },
    recordedBlockHash: row.recorded_block_hash,
    recordedLogIndex: row.recorded_log_index,
    liabilityBefore: BigInt(row.liability_before),
    availableBefore: BigInt(row.available_before),
    attestation:
      row.signer === null || row.nonce === null ? null : { signer: row.signer, nonce: row.nonce },
  };
}
