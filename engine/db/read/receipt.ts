import type { Address, Hex } from '../../core/events.ts';
import { ledgerId, toInteger } from './ids.ts';
import { type NodeView, readPath } from './nodes.ts';
import { type PolicyRow, policyColumns, policyOf, type RegisteredPolicy } from './policy-rows.ts';
import {
  type DiscrepancyView,
  type SaleEvent,
  saleDiscrepancies,
  saleEvents,
} from './sale-events.ts';
import {
  type LevelView,
  type MissedView,
  type SaleAt,
  saleLevels,
  saleMissed,
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
  const [row] = await sql<WithPolicyRow[]>`
    select ${saleColumns(sql)}, ${policyColumns(sql)},
      recorded.block_hash as recorded_block_hash, recorded.log_index as recorded_log_index,
      before.pending_reserved + before.vested_unclaimed + before.rewards_claimed
        as liability_before,
      before.available as available_before, attestation.signer, attestation.nonce,
      newest.seq as newest_seq, past.state is not null as is_past
    from ledger.sale sale ${saleJoins(sql, head)}
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
    where sale.sale_id = ${id} and sale.block_number <= ${head.number}
    order by sale.block_number desc, sale.campaign_id desc limit 1`;
  return row && withPolicyOf(row);
}

/** A sale's receipt: its sale first, then five statements sent together. */
export async function getReceipt(
  snapshot: Snapshot,
  saleId: string,
): Promise<ReceiptView | undefined> {
  const { sql, head } = snapshot;
  const sale = await getSale(snapshot, saleId);
  if (sale === undefined) return undefined;
  const { campaignId, nodeId, policy, at } = sale;
  const range = { campaignId, saleId: sale.saleId, throughSeq: at.seq };
  const [path, levels, missed, events, discrepancies] = await Promise.all([
    nodeId === null
      ? []
      : readPath(sql, head, { campaignId, nodeId }, policy.maxRewardedAncestors + 1),
    saleLevels(sql, head, at),
    saleMissed(sql, at),
    saleEvents(sql, { ...range, limit: EVENTS_MOST }),
    saleDiscrepancies(sql, range),
  ]);
  return { sale, path, levels, missed, events, discrepancies };
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
