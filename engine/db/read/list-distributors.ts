import { RANKED_PLACE } from '../commerce/refresh-ranking.ts';
import type { Sql } from '../connection.ts';
import { type DistributorFigures, type FiguresRow, figuresOf } from './distributor-figures.ts';
import { toInteger } from './ids.ts';

/** As of which block the ranking was made, and when. */
export interface RankingState {
  readonly blockNumber: number;
  readonly blockHash: string;
  /** Unix seconds. */
  readonly blockTimestamp: number;
  /** Milliseconds since. */
  readonly ageMs: number;
  /** Milliseconds that it took. */
  readonly durationMs: number;
}

/** @returns `undefined` before the first one. */
export async function rankingState(sql: Sql): Promise<RankingState | undefined> {
  const [row] = await sql<
    {
      block_number: string;
      block_hash: string;
      block_timestamp: string;
      age_ms: string;
      duration_ms: number;
    }[]
  >`
    select block_number, block_hash, block_timestamp, duration_ms,
      floor(extract(epoch from clock_timestamp() - computed_at) * 1000)::bigint as age_ms
    from commerce.distributor_ranking_state`;
  return (
    row && {
      blockNumber: toInteger(row.block_number),
      blockHash: row.block_hash,
      blockTimestamp: toInteger(row.block_timestamp),
      ageMs: toInteger(row.age_ms),
      durationMs: row.duration_ms,
    }
  );
}

/** A distributor in the list. */
export interface ListedDistributor {
  readonly figures: DistributorFigures;
  /** Only where it is public. */
  readonly profile: { readonly handle: string | null; readonly displayName: string | null } | null;
}

/** Where a page of distributors ended. */
export interface DistributorPlace {
  readonly place: string;
  readonly address: string;
}

interface DistributorQuery {
  readonly slot: 'ranked' | 'new' | undefined;
  readonly category: string | undefined;
  readonly after: DistributorPlace | undefined;
  readonly limit: number;
}

interface ListedRow extends FiguresRow {
  place: string;
  handle: string | null;
  display_name: string | null;
  visibility: string | null;
}

/**
 * A page of the ranking. Who keeps a handle apart from the address is left out: a place among
 * addresses would tell which one it is.
 */
export async function listDistributors(
  sql: Sql,
  { slot, category, after, limit }: DistributorQuery,
): Promise<{ readonly items: ListedDistributor[]; readonly next: DistributorPlace | null }> {
  const rows = await sql<ListedRow[]>`
    select ranking.*, profile.handle, profile.display_name, profile.visibility
    from commerce.distributor_ranking ranking
    left join commerce.distributor profile on profile.address = ranking.address
    where (profile.visibility is null or profile.visibility = 'public')
      ${slot === 'ranked' ? sql`and ranking.place >= ${RANKED_PLACE}` : sql``}
      ${slot === 'new' ? sql`and ranking.place < ${RANKED_PLACE}` : sql``}
      ${category === undefined ? sql`` : sql`and ranking.categories @> array[${category}::text]`}
      ${after ? afterPlace(sql, after) : sql``}
    order by ranking.place desc, ranking.address limit ${limit + 1}`;
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map((row) => ({
      figures: figuresOf(row),
      profile:
        row.visibility === null ? null : { handle: row.handle, displayName: row.display_name },
    })),
    next: last ? { place: last.place, address: last.address } : null,
  };
}

function afterPlace(sql: Sql, { place, address }: DistributorPlace) {
  return sql`and ranking.place <= ${place}::bigint
    and (ranking.place < ${place}::bigint or ranking.address > ${address})`;
}
