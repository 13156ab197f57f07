import type { Address, Hex } from '../../core/events.ts';
import type { CapReason } from '../../core/split.ts';
import type { Sql } from '../connection.ts';
import { toInteger, toIntegerOrNull } from './ids.ts';
import { earnedLevels, earnerCampaigns } from './own-campaigns.ts';
import type { TransactionPlace } from './policy-rows.ts';
import type { RewardState } from './sale-levels.ts';
import type { Snapshot } from './snapshot.ts';

/** A level of a sale that an account has, as of the settled block; amounts in base units. */
export interface ConversionView {
  readonly saleId: string;
  readonly campaignId: string;
  readonly level: number;
  readonly nodeId: string;
  readonly saleAmount: bigint;
  readonly share: bigint;
  readonly reserved: bigint;
  readonly released: bigint;
  readonly vested: bigint;
  readonly reversed: bigint;
  readonly state: RewardState;
  /** Unix seconds. */
  readonly holdUntil: number;
  readonly finalizedAt: number | null;
  readonly record: TransactionPlace;
  readonly missed: readonly { readonly reason: CapReason; readonly amount: bigint }[];
}

/** Where a page of conversions ended. */
export interface ConversionPlace {
  readonly saleId: string;
  readonly campaignId: string;
  readonly level: string;
}

interface ConversionQuery {
  readonly campaignId: string | undefined;
  /** Only these campaigns, where no single one is named. */
  readonly campaignIds?: readonly string[];
  readonly state: RewardState | undefined;
  /** Unix seconds: from inclusive, to exclusive. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
  readonly after: ConversionPlace | undefined;
  readonly limit: number;
}

interface ConversionRow {
  campaign_id: string;
  sale_id: string;
  level: number;
  node_id: string;
  sale_amount: string;
  share: string;
  reserved: string;
  released: string;
  vested: string;
  reversed: string;
  reward_state: RewardState;
  hold_until: string;
  finalized_at: string | null;
  block_number: string;
  block_timestamp: string;
  transaction_hash: Hex;
  missed: { reason: CapReason; amount: string }[];
}

/** An account's levels, newest sale first: one statement that walks an index from the place on. */
export async function listConversions(
  { sql, head }: Snapshot,
  account: Address,
  { campaignId, state, range, after, limit, ...query }: ConversionQuery,
): Promise<ConversionView[]> {
  const campaignIds = campaignId === undefined ? query.campaignIds : [campaignId];
  const rows = await sql<ConversionRow[]>`
    with own as materialized (${earnerCampaigns(sql, head, { account, campaignIds })}),
    page as materialized (
      select level.*, ${rewardState(sql)} as reward_state,
        case when past.state is null then level.finalized_at else past.finalized_at end as closed_at
      from (${earnedLevels(sql, { account, campaignIds })} ${after ? afterLevel(sql, after) : sql``}) level
      left join lateral (
        select version.state, version.finalized_at from ledger.sale_version version
        where version.campaign_id = level.campaign_id and version.sale_id = level.sale_id
          and level.changed_seq > level.as_of and version.seq <= level.as_of
        order by version.seq desc limit 1
      ) past on true
      where true
        ${state === undefined ? sql`` : sql`and ${rewardState(sql)} = ${state}`}
        ${range ? sql`and level.block_timestamp >= ${range.from} and level.block_timestamp < ${range.to}` : sql``}
      order by level.sale_id desc, level.campaign_id desc, level.level limit ${limit}
    )
    select page.campaign_id, page.sale_id, page.level, page.node_id, page.sale_amount, page.share,
      page.reserved, page.released, page.vested, page.reversed, page.reward_state,
      page.hold_until, page.closed_at as finalized_at, page.block_number, page.block_timestamp,
      page.transaction_hash, array(
        select jsonb_build_object('reason', missed.reason, 'amount', missed.amount::text)
        from ledger.missed_reward missed
        where missed.campaign_id = page.campaign_id and missed.sale_id = page.sale_id
          and missed.level = page.level
        order by array_position(array['SALE_CAP', 'LIABILITY_CAP', 'BUDGET'], missed.reason)
      ) as missed
    from page order by page.sale_id desc, page.campaign_id desc, page.level`;
  return rows.map(conversionOf);
}

function afterLevel(sql: Sql, { saleId, campaignId, level }: ConversionPlace) {
  return sql`and level.sale_id <= ${saleId}::bigint
    and (level.sale_id < ${saleId}::bigint or level.campaign_id < ${campaignId}::bigint
      or (level.campaign_id = ${campaignId}::bigint and level.level > ${level}::smallint))`;
}

/** Where the reward stands: the same rule as `rewardState` of sale-levels.ts. */
function rewardState(sql: Sql) {
  return sql`case
    when level.reversed > 0 then 'reversed'
    when level.vested > 0 then
      case when level.claim_seq > level.vested_seq then 'claimed' else 'claimable' end
    when level.reserved > 0 then 'reserved'
    when level.released > 0 then 'refunded'
    else case coalesce(past.state, level.state) when 'pending' then 'reserved'
      when 'finalized' then 'claimable' else coalesce(past.state, level.state) end
    end`;
}

function conversionOf(row: ConversionRow): ConversionView {
  return {
    saleId: row.sale_id,
    campaignId: row.campaign_id,
    level: row.level,
    nodeId: row.node_id,
    saleAmount: BigInt(row.sale_amount),
    share: BigInt(row.share),
    reserved: BigInt(row.reserved),
    released: BigInt(row.released),
    vested: BigInt(row.vested),
    reversed: BigInt(row.reversed),
    state: row.reward_state,
    holdUntil: toInteger(row.hold_until),
    finalizedAt: toIntegerOrNull(row.finalized_at),
    record: {
      hash: row.transaction_hash,
      blockNumber: toInteger(row.block_number),
      timestamp: toInteger(row.block_timestamp),
    },
    missed: row.missed.map(({ reason, amount }) => ({ reason, amount: BigInt(amount) })),
  };
}
