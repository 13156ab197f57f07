import type { Address } from '../../../core/events.ts';
import type { RewardState } from '../../../core/receipt.ts';
import type { CapReason } from '../../../core/split.ts';
import type { Sql } from '../../connection.ts';
import {
  amount,
  as,
  id,
  nullable,
  rowCodec,
  type StoredRow,
  seconds,
  small,
  type View,
} from '../../row.ts';
import { transactionRow } from '../../rows/event.ts';
import { joinBeforeChange, saleFinalizedAt, saleState } from '../as-of/sale.ts';
import type { Snapshot } from '../snapshot.ts';
import { earnedLevels, earnerCampaigns } from './earner-campaigns.ts';

const conversion = rowCodec({
  saleId: id,
  campaignId: id,
  level: small,
  nodeId: id,
  saleAmount: amount,
  share: amount,
  reserved: amount,
  released: amount,
  vested: amount,
  reversed: amount,
  state: as<RewardState>().from('reward_state'),
  holdUntil: seconds,
  finalizedAt: nullable(seconds).from('closed_at'),
  record: transactionRow.fields,
  missed: as<readonly StoredRow[]>(),
});

const missedByCap = rowCodec({ reason: as<CapReason>(), amount });

/** A level of a sale that an account has, as of the settled block; amounts in base units. */
export interface ConversionView extends Omit<View<typeof conversion>, 'missed'> {
  readonly missed: readonly View<typeof missedByCap>[];
}

/** Cursor of a page of conversions: its last one. */
export interface ConversionCursor {
  readonly saleId: string;
  readonly campaignId: string;
  readonly level: string;
}

interface ConversionQuery {
  readonly campaignId: string | undefined;
  /** Only these campaigns, if no single one is given. */
  readonly campaignIds?: readonly string[];
  readonly state: RewardState | undefined;
  /** Unix seconds: from inclusive, to exclusive. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
  readonly after: ConversionCursor | undefined;
  readonly limit: number;
}

/** An account's levels, newest sale first: one statement, which reads an index from the cursor on. */
export async function listConversions(
  { sql, head }: Snapshot,
  account: Address,
  { campaignId, state, range, after, limit, ...query }: ConversionQuery,
): Promise<ConversionView[]> {
  const campaignIds = campaignId === undefined ? query.campaignIds : [campaignId];
  const rows = await sql<StoredRow[]>`
    with as_of as materialized (${earnerCampaigns(sql, head, { account, campaignIds })}),
    page as materialized (
      select level.*, ${rewardState(sql)} as reward_state,
        ${saleFinalizedAt(sql, sql`level`)} as closed_at
      from (${earnedLevels(sql, { account, campaignIds })} ${after ? afterLevel(sql, after) : sql``}) level
      ${joinBeforeChange(sql, sql`level.as_of`, sql`level`)}
      where true
        ${state === undefined ? sql`` : sql`and ${rewardState(sql)} = ${state}`}
        ${range ? sql`and level.block_timestamp >= ${range.from} and level.block_timestamp < ${range.to}` : sql``}
      order by level.sale_id desc, level.campaign_id desc, level.level limit ${limit}
    )
    select page.campaign_id, page.sale_id, page.level, page.node_id, page.sale_amount, page.share,
      page.reserved, page.released, page.vested, page.reversed, page.reward_state,
      page.hold_until, page.closed_at, page.block_number, page.block_timestamp,
      page.transaction_hash, array(
        select jsonb_build_object('reason', missed.reason, 'amount', missed.amount::text)
        from ledger.missed_reward missed
        where missed.campaign_id = page.campaign_id and missed.sale_id = page.sale_id
          and missed.level = page.level
        order by array_position(array['SALE_CAP', 'LIABILITY_CAP', 'BUDGET'], missed.reason)
      ) as missed
    from page order by page.sale_id desc, page.campaign_id desc, page.level`;
  return rows.map((row) => {
    const found = conversion.decode(row);
    return { ...found, missed: found.missed.map(missedByCap.decode) };
  });
}

function afterLevel(sql: Sql, { saleId, campaignId, level }: ConversionCursor) {
  return sql`and level.sale_id <= ${saleId}::bigint
    and (level.sale_id < ${saleId}::bigint or level.campaign_id < ${campaignId}::bigint
      or (level.campaign_id = ${campaignId}::bigint and level.level > ${level}::smallint))`;
}

/** State of a level's reward, by the rule of `rewardState` in core/receipt.ts. */
function rewardState(sql: Sql) {
  return sql`case
    when level.reversed > 0 then 'reversed'
    when level.vested > 0 then
      case when level.claim_seq > level.vested_seq then 'claimed' else 'claimable' end
    when level.reserved > 0 then 'reserved'
    when level.released > 0 then 'refunded'
    else case ${saleState(sql, sql`level`)} when 'pending' then 'reserved'
      when 'finalized' then 'claimable' else ${saleState(sql, sql`level`)} end
    end`;
}
