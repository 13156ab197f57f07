import type { Address } from '../../core/events.ts';
import type { CampaignState, Sale } from '../../core/fold/index.ts';
import type { Fragment, Sql } from '../connection.ts';
import type { Row } from './json-rows.ts';
import type { Folded } from './rows.ts';

/** A sale whose row or levels a batch changed, as it is after the batch. */
export interface ChangedSale {
  readonly campaignId: string;
  /** Of its campaign. */
  readonly merchant: Address;
  readonly sale: Sale;
  readonly changedSeq: number;
  /** Its SaleRecorded, where that is in the batch: its rows are new. */
  readonly recorded: Folded | undefined;
}

/** The sales that a batch changed of one campaign. */
export function changedSales(
  state: CampaignState,
  folded: readonly Folded[],
): readonly ChangedSale[] {
  const changed = new Map<string, ChangedSale>();
  for (const one of folded) {
    const { seq, fact } = one;
    if (!('saleId' in fact.args)) continue;
    const sale = state.sales.get(fact.args.saleId);
    if (sale === undefined || state.campaign === null) continue;
    const isNew = fact.name === 'SaleRecorded' && one.sale !== null;
    const recorded = isNew ? one : changed.get(sale.saleId)?.recorded;
    const { campaignId, merchant } = state.campaign;
    changed.set(sale.saleId, { campaignId, merchant, sale, changedSeq: seq, recorded });
  }
  return [...changed.values()];
}

/** Rows of the sales that were recorded in the batch. */
export function newSaleRows(changed: readonly ChangedSale[]): Row[] {
  return changed.flatMap(({ campaignId, sale, changedSeq, recorded }) => {
    if (recorded === undefined) return [];
    const { seq, fact } = recorded;
    return [
      {
        campaign_id: campaignId,
        sale_id: sale.saleId,
        seq,
        buyer: sale.buyer,
        node_id: sale.nodeId,
        amount: sale.amount,
        pool: sale.pool,
        policy_version: sale.policyVersion,
        hold_until: sale.holdUntil,
        order_key: sale.orderKey,
        sku_hash: sale.skuHash,
        block_number: fact.blockNumber,
        block_timestamp: fact.timestamp,
        transaction_hash: fact.transactionHash,
        state: sale.state,
        refunded_total: sale.refundedTotal,
        finalized_at: sale.finalizedAt,
        changed_seq: changedSeq,
      },
    ];
  });
}

/** Rows of their levels. */
export function newLevelRows(changed: readonly ChangedSale[]): Row[] {
  return changed.flatMap(({ campaignId, sale, recorded }) =>
    recorded === undefined
      ? []
      : sale.levels.map((level) => ({
          campaign_id: campaignId,
          sale_id: sale.saleId,
          level: level.level,
          node_id: level.nodeId,
          recipient: level.recipient,
          hold_until: sale.holdUntil,
          share: level.share,
          reserved: level.reserved,
          released: level.released,
          vested: level.vested,
          reversed: level.reversed,
          vested_seq: level.vestedSeq,
        })),
  );
}

/**
 * Brings the sales up to date that were recorded before the batch: a statement, or none. Each row is
 * looked up by its key, and the fence (`offset 0`) keeps it so: planned in a ledger that is new, a join
 * would read all sales of the campaign, for as long as the plan is kept.
 */
export function updateSales(sql: Sql, changed: readonly ChangedSale[]): readonly Fragment[] {
  const known = changed.filter(({ recorded }) => recorded === undefined);
  if (known.length === 0) return [];
  const update = sql`
    update ledger.sale s set state = r.state, refunded_total = r.refunded_total,
      finalized_at = r.finalized_at, changed_seq = r.changed_seq
    from unnest(
      ${known.map(({ campaignId }) => campaignId)}::bigint[],
      ${known.map(({ sale }) => sale.saleId)}::bigint[],
      ${known.map(({ sale }) => sale.state)}::text[],
      ${known.map(({ sale }) => sale.refundedTotal.toString())}::numeric[],
      ${known.map(({ sale }) => sale.finalizedAt)}::bigint[],
      ${known.map(({ changedSeq }) => changedSeq)}::bigint[]
    ) as r (campaign_id, sale_id, state, refunded_total, finalized_at, changed_seq)
    cross join lateral (
      select ctid from ledger.sale
      where campaign_id = r.campaign_id and sale_id = r.sale_id offset 0
    ) at
    where s.ctid = at.ctid`;
  return [update];
}

/** Brings their levels up to date, likewise. */
export function updateLevels(sql: Sql, changed: readonly ChangedSale[]): readonly Fragment[] {
  const known = changed.flatMap(({ campaignId, sale, recorded }) =>
    recorded === undefined
      ? sale.levels.map((level) => ({ ...level, campaignId, saleId: sale.saleId }))
      : [],
  );
  if (known.length === 0) return [];
  const update = sql`
    update ledger.sale_level l set reserved = r.reserved, released = r.released,
      vested = r.vested, reversed = r.reversed, vested_seq = r.vested_seq
    from unnest(
      ${known.map(({ campaignId }) => campaignId)}::bigint[],
      ${known.map(({ saleId }) => saleId)}::bigint[],
      ${known.map(({ level }) => level)}::smallint[],
      ${known.map(({ reserved }) => reserved.toString())}::numeric[],
      ${known.map(({ released }) => released.toString())}::numeric[],
      ${known.map(({ vested }) => vested.toString())}::numeric[],
      ${known.map(({ reversed }) => reversed.toString())}::numeric[],
      ${known.map(({ vestedSeq }) => vestedSeq)}::bigint[]
    ) as r (campaign_id, sale_id, level, reserved, released, vested, reversed, vested_seq)
    cross join lateral (
      select ctid from ledger.sale_level
      where campaign_id = r.campaign_id and sale_id = r.sale_id and level = r.level offset 0
    ) at
    where l.ctid = at.ctid`;
  return [update];
}
