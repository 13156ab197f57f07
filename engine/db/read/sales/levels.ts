import type { SaleState } from '../../../core/fold/index.ts';
import { type RewardState, rewardState } from '../../../core/receipt.ts';
import type { CapReason } from '../../../core/split.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { integer, nullable, rowCodec, type StoredRow, type View } from '../../row.ts';
import { levelRow, missedRewardRow } from '../../rows/sale.ts';
import { newestClaim } from '../as-of/balance.ts';
import { newestEvent } from '../as-of/campaign.ts';
import { joinLevelBefore, levelState } from '../as-of/level.ts';
import { type AsOf, jsonRows } from '../one-read.ts';
import type { ReadHead } from '../snapshot.ts';

const { vestedSeq: _vestedSeq, ...levelFields } = levelRow.fields;

/** Row codec of `LevelView`. */
export const levelView = rowCodec({
  ...levelFields,
  /** Block of the claim that paid it out. */
  claimBlock: nullable(integer),
});

/** A level of a sale as of the settled block; amounts in base units. */
export type LevelView = View<typeof levelView> & { readonly state: RewardState };

/** A sale as of one of its events. */
export interface SaleAt {
  readonly campaignId: string;
  readonly saleId: string;
  readonly state: SaleState;
  /** Sequence number of the newest of its events at or below the settled block. */
  readonly seq: number;
  /** True if a later event changed its rows. */
  readonly isChanged: boolean;
}

/** A sale as of one of its events within a statement: values, or columns of the statement. */
export type SaleAtSql = {
  readonly [K in 'campaignId' | 'saleId' | 'seq' | 'isChanged']: SaleAt[K] | Fragment;
};

/**
 * The levels of a sale as of the settled block. A level counts as claimed if a claim of its recipient in
 * that campaign follows its vesting (docs/reference/protocol.md#state).
 */
export async function saleLevels(sql: Sql, head: ReadHead, sale: SaleAt): Promise<LevelView[]> {
  const rows = await sql<StoredRow[]>`${levelsAt(sql, head, sale)}`;
  return rows.map((row) => levelOf(row, sale.state));
}

/** The rows of `saleLevels` as one JSON value. */
export function saleLevelRows(sql: Sql, at: AsOf, sale: SaleAtSql) {
  return jsonRows(sql, levelsAt(sql, at, sale), levelView, 'each.level');
}

/** The levels of a sale without their claims, for the fold: rows of `levelRow` as one JSON value. */
export function levelStateRows(sql: Sql, at: AsOf, sale: SaleAtSql) {
  return jsonRows(sql, levelsAt(sql, at, sale), levelRow, 'each.level');
}

function levelsAt(sql: Sql, at: AsOf, { campaignId, saleId, seq, isChanged }: SaleAtSql) {
  const claim = newestClaim(sql, {
    campaignId,
    account: sql`level_as_of.recipient`,
    seq: sql`campaign_as_of.seq`,
  });
  return sql`
    select level_as_of.*, claim.block_number as claim_block
    from ${newestEvent(sql, at, campaignId, sql`seq`)} campaign_as_of
    cross join (
      select level.level, level.node_id, level.recipient, level.share, ${levelState(sql)}
      from ledger.sale_level level
      ${joinLevelBefore(sql, sql`${isChanged}::boolean`, sql`${seq}::bigint`)}
      where level.campaign_id = ${campaignId} and level.sale_id = ${saleId}
    ) level_as_of
    left join ledger.journal claim on claim.campaign_id = ${campaignId}
      and claim.seq = ${claim} and claim.seq > level_as_of.vested_seq
    order by level_as_of.level`;
}

/** Decodes a row of `levelView`, for which the state of the sale says what a level of nothing is. */
export function levelOf(row: StoredRow, saleState: SaleState): LevelView {
  return withState(levelView.decode(row), saleState);
}

/** A level with its state, which follows from its amounts, its claim and the state of the sale. */
export function withState(level: View<typeof levelView>, saleState: SaleState): LevelView {
  const isClaimed = level.claimBlock !== null;
  return { ...level, state: rewardState({ ...level, isClaimed }, saleState) };
}

const { saleId: _saleId, ...missedFields } = missedRewardRow.fields;

/** Row codec of `MissedView`. */
export const missedView = rowCodec(missedFields);

/** The reward that a level of a sale lost to a cap, in base units. */
export type MissedView = View<typeof missedView>;

/** The rewards that levels of a sale lost to caps, in the order in which the caps apply. */
export async function saleMissed(
  sql: Sql,
  sale: Pick<SaleAt, 'campaignId' | 'saleId'>,
): Promise<MissedView[]> {
  return missedOf(await sql<StoredRow[]>`${missedIn(sql, sale)}`);
}

/** The rows of `saleMissed` as one JSON value, in any order. */
export function saleMissedRows(sql: Sql, sale: Pick<SaleAtSql, 'campaignId' | 'saleId'>) {
  return jsonRows(sql, missedIn(sql, sale), missedView);
}

/** Decodes rows of `missedView` and sorts them. A sort in SQL would cost more than reading a list that is mostly empty. */
export function missedOf(rows: readonly StoredRow[]): MissedView[] {
  return sortMissed(rows.map(missedView.decode));
}

/** Sorts missed rewards by level, and by the order in which the caps apply. */
export function sortMissed(missed: MissedView[]): MissedView[] {
  return missed.sort(
    (a, b) => a.level - b.level || CAPS.indexOf(a.reason) - CAPS.indexOf(b.reason),
  );
}

/** Caps in the order in which they apply. */
const CAPS: readonly CapReason[] = ['SALE_CAP', 'LIABILITY_CAP', 'BUDGET'];

/** Selects rows of `missedView`. */
export function missedIn(
  sql: Sql,
  { campaignId, saleId }: Pick<SaleAtSql, 'campaignId' | 'saleId'>,
) {
  return sql`
    select ${missedView.columns(sql, 'missed')} from ledger.missed_reward missed
    where campaign_id = ${campaignId} and sale_id = ${saleId}`;
}
