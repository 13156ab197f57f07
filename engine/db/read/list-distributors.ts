import { RANKED_PLACE } from '../commerce/refresh-ranking.ts';
import type { Sql } from '../connection.ts';
import { type DistributorFigures, type FiguresRow, figuresOf } from './distributor-figures.ts';

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
