import type { Address } from '../../../core/events.ts';
import type { RewardState } from '../../../core/receipt.ts';
import type { CapReason } from '../../../core/split.ts';
import type { Sql } from '../../connection.ts';
import { fence } from '../../planner.ts';
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
import { earnedColumns, earnerCampaigns, joinEarned } from './earner-campaigns.ts';

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

/**
 * An account's levels, newest sale first: one statement. It finds the newest one of each campaign that the filters match,
 * from the cursor on, and reads a page of each campaign that can have a row on this page: of no more than the limit.
 */
export async function listConversions(
  { sql, head }: Snapshot,
  account: Address,
  { campaignId, state, range, after, limit, ...query }: ConversionQuery,
): Promise<ConversionView[]> {
  const campaignIds = campaignId === undefined ? query.campaignIds : [campaignId];
  const matching = matchingLevels(sql, account, { state, range, after });
  const rows = await sql<StoredRow[]>`
    with as_of as materialized (${earnerCampaigns(sql, head, { account, campaignIds })}),
    newest as materialized (
      select as_of.*, own.sale_id as first_sale from as_of
      cross join lateral (select * from (${matching}) own order by own.sale_id desc limit 1) own
      order by own.sale_id desc, own.campaign_id desc limit ${limit}
    ),
    picked as materialized (
      select own.* from newest as_of cross join lateral (
        select * from (${matching}) own where own.sale_id <= as_of.first_sale
        order by own.sale_id desc fetch first ${sql.unsafe(String(limit))} rows with ties
      ) own
      order by own.sale_id desc, own.campaign_id desc, own.level limit ${limit}
    ),
    page as materialized (
      select level.*, ${rewardState(sql)} as reward_state,
        ${saleFinalizedAt(sql, sql`level`)} as closed_at
      from picked join as_of using (campaign_id) cross join lateral (
        select ${earnedColumns(sql)} from (
          select * from ledger.sale_level
          where campaign_id = picked.campaign_id and sale_id = picked.sale_id
            and level = picked.level
          ${fence(sql)}
        ) level
        ${joinEarned(sql)}
      ) level
      ${joinBeforeChange(sql, sql`level.as_of`, sql`level`)}
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

/** A select of the keys of the account's levels in the campaign of `as_of` that a page can have. */
function matchingLevels(
  sql: Sql,
  account: Address,
  { state, range, after }: Pick<ConversionQuery, 'state' | 'range' | 'after'>,
) {
  const isOwn = sql`level.recipient = ${account} and level.campaign_id = as_of.campaign_id
    ${after ? afterLevel(sql, after) : sql``}`;
  const isMatching =
    state === undefined && range === undefined
      ? sql`(not as_of.ahead or exists (
          select from ledger.sale
          where sale.campaign_id = level.campaign_id and sale.sale_id = level.sale_id
            and sale.seq <= as_of.seq
        ))`
      : sql`exists (
          select from (select ${earnedColumns(sql)} from (select level.*) level ${joinEarned(sql)}) level
          ${joinBeforeChange(sql, sql`level.as_of`, sql`level`)}
          where true
            ${state === undefined ? sql`` : sql`and ${rewardState(sql)} = ${state}`}
            ${range ? sql`and level.block_timestamp >= ${range.from} and level.block_timestamp < ${range.to}` : sql``}
        )`;
  return sql`
    select level.campaign_id, level.sale_id, level.level from ledger.sale_level level
    where ${isOwn} and ${isMatching}`;
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
