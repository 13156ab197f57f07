import type { Address } from '../../core/events.ts';
import type { SaleState } from '../../core/fold/index.ts';
import type { CapReason } from '../../core/split.ts';
import type { Fragment, Sql } from '../connection.ts';
import { toIntegerOrNull } from './ids.ts';
import { type AsOf, jsonRows } from './one-read.ts';
import type { ReadHead } from './snapshot.ts';

/** Where a level's reward stands; the specification calls it «partner sale reward state». */
export type RewardState = 'reserved' | 'claimable' | 'claimed' | 'refunded' | 'reversed';

/** A level of a sale as of the settled block; amounts in base units. */
export interface LevelView {
  readonly level: number;
  readonly nodeId: string;
  readonly recipient: Address;
  readonly state: RewardState;
  readonly share: bigint;
  readonly reserved: bigint;
  readonly released: bigint;
  readonly vested: bigint;
  readonly reversed: bigint;
  /** Block of the claim that took it. */
  readonly claimBlock: number | null;
}

/** A sale at one of its events. */
export interface SaleAt {
  readonly campaignId: string;
  readonly saleId: string;
  readonly state: SaleState;
  /** Seq of the newest of its events at or below the settled block. */
  readonly seq: number;
  /** Whether later events changed its rows. */
  readonly past: boolean;
}

/** The same within a statement, where its parts may be columns of that. */
export type SaleAtSql = {
  readonly [K in 'campaignId' | 'saleId' | 'seq' | 'past']: SaleAt[K] | Fragment;
};

/** A level as JSON has it, too: integers beyond 53 bits as text. */
export interface LevelRow {
  level: number;
  node_id: string;
  recipient: Address;
  share: string;
  reserved: string;
  released: string;
  vested: string;
  reversed: string;
  claim_block: string | null;
}

/**
 * The levels of a sale. The rows hold the newest standing; where a later event changed them, the
 * standing is the sum of the entries up to then. A level counts as claimed where a claim of its
 * recipient in that campaign follows its vesting (design §3).
 */
export async function saleLevels(sql: Sql, head: ReadHead, sale: SaleAt): Promise<LevelView[]> {
  const rows = await sql<LevelRow[]>`${levelsAt(sql, head, sale)}`;
  return rows.map((row) => levelOf(row, sale.state));
}

/** The rows of `saleLevels` as one JSON value. */
export function saleLevelRows(sql: Sql, at: AsOf, sale: SaleAtSql) {
  return jsonRows<LevelRow>(sql, levelsAt(sql, at, sale), levelKinds, 'each.level');
}

const levelKinds = {
  level: 'is',
  node_id: 'text',
  recipient: 'is',
  share: 'text',
  reserved: 'text',
  released: 'text',
  vested: 'text',
  reversed: 'text',
  claim_block: 'text',
} as const;

function levelsAt(sql: Sql, at: AsOf, sale: SaleAtSql) {
  return sql`
    with standing as (${currentLevels(sql, sale)} union all ${pastLevels(sql, sale)})
    select standing.*, case
      when claim.block_number <= ${at.number} then claim.block_number
      -- The newest claim is yet to settle: an earlier one may have taken the level.
      when claim.block_number > ${at.number} then (
        select max(entry.block_number) from ledger.entry
        where entry.campaign_id = ${sale.campaignId} and entry.account = standing.recipient
          and entry.kind = 'claim' and entry.seq > standing.vested_seq
          and entry.block_number <= ${at.number}
      ) end as claim_block
    from standing
    left join ledger.bucket on bucket.campaign_id = ${sale.campaignId}
      and bucket.account = standing.recipient and bucket.last_claim_seq > standing.vested_seq
    left join ledger.journal claim
      on claim.campaign_id = ${sale.campaignId} and claim.seq = bucket.last_claim_seq
    order by standing.level`;
}

function currentLevels(sql: Sql, { campaignId, saleId, past }: SaleAtSql) {
  return sql`
    select level, node_id, recipient, share, reserved, released, vested, reversed, vested_seq
    from ledger.sale_level
    where campaign_id = ${campaignId} and sale_id = ${saleId} and not ${past}`;
}

function pastLevels(sql: Sql, { campaignId, saleId, seq, past }: SaleAtSql) {
  return sql`
    select sale_level.level, sale_level.node_id, sale_level.recipient, sale_level.share,
      coalesce(moved.held, sale_level.share) as reserved, moved.released, moved.vested,
      moved.reversed, moved.vested_seq
    from ledger.sale_level
    cross join lateral (
      select
        coalesce(sum(amount) filter (where kind = 'release'), 0) as released,
        coalesce(sum(amount) filter (where kind = 'vest'), 0) as vested,
        coalesce(sum(amount) filter (where kind = 'reverse'), 0) as reversed,
        max(entry.seq) filter (where kind = 'vest') as vested_seq,
        (array_agg(held_after order by entry.seq desc, ordinal desc))[1] as held
      from ledger.entry
      where entry.campaign_id = ${campaignId} and entry.sale_id = ${saleId}
        and entry.level = sale_level.level and entry.seq <= ${seq}
    ) moved
    where sale_level.campaign_id = ${campaignId} and sale_level.sale_id = ${saleId} and ${past}`;
}

export function levelOf(row: LevelRow, saleState: SaleState): LevelView {
  const level = {
    level: row.level,
    nodeId: row.node_id,
    recipient: row.recipient,
    share: BigInt(row.share),
    reserved: BigInt(row.reserved),
    released: BigInt(row.released),
    vested: BigInt(row.vested),
    reversed: BigInt(row.reversed),
    claimBlock: toIntegerOrNull(row.claim_block),
  };
  return { ...level, state: rewardState(level, saleState) };
}

/** A level of nothing, which no event ever moves, stands where its sale does. */
function rewardState(level: Omit<LevelView, 'state'>, saleState: SaleState): RewardState {
  if (level.reversed > 0n) return 'reversed';
  if (level.vested > 0n) return level.claimBlock === null ? 'claimable' : 'claimed';
  if (level.reserved > 0n) return 'reserved';
  if (level.released > 0n) return 'refunded';
  const states = { pending: 'reserved', finalized: 'claimable' } as const;
  return saleState === 'pending' || saleState === 'finalized' ? states[saleState] : saleState;
}

/** What a cap cost a level. */
export interface MissedView {
  readonly level: number;
  readonly nodeId: string;
  readonly recipient: Address;
  readonly reason: CapReason;
  /** Base units. */
  readonly amount: bigint;
}

/** What the caps cost the levels of a sale, in the order in which they apply. */
export async function saleMissed(
  sql: Sql,
  { campaignId, saleId }: Pick<SaleAt, 'campaignId' | 'saleId'>,
): Promise<MissedView[]> {
  const rows = await sql<MissedRow[]>`
    ${missedIn(sql, { campaignId, saleId })} order by ${sql.unsafe(MISSED_ORDER)}`;
  return rows.map(missedOf);
}

/** The rows of `saleMissed` as one JSON value. */
export function saleMissedRows(sql: Sql, sale: Pick<SaleAtSql, 'campaignId' | 'saleId'>) {
  return jsonRows<MissedRow>(sql, missedIn(sql, sale), missedKinds, MISSED_ORDER);
}

export interface MissedRow {
  level: number;
  node_id: string;
  recipient: Address;
  reason: CapReason;
  amount: string;
}

const missedKinds = {
  level: 'is',
  node_id: 'text',
  recipient: 'is',
  reason: 'is',
  amount: 'text',
} as const;

const MISSED_ORDER = "level, array_position(array['SALE_CAP', 'LIABILITY_CAP', 'BUDGET'], reason)";

function missedIn(sql: Sql, { campaignId, saleId }: Pick<SaleAtSql, 'campaignId' | 'saleId'>) {
  return sql`
    select level, node_id, recipient, reason, amount from ledger.missed_reward
    where campaign_id = ${campaignId} and sale_id = ${saleId}`;
}

export function missedOf(row: MissedRow): MissedView {
  return {
    level: row.level,
    nodeId: row.node_id,
    recipient: row.recipient,
    reason: row.reason,
    amount: BigInt(row.amount),
  };
}
