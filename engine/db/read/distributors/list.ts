import type { Sql } from '../../connection.ts';
import { id, nullable, optional, rowCodec, type StoredRow, text, type View } from '../../row.ts';
import { MIN_RANKED_PLACE } from '../../rows/commerce.ts';
import { distributorTotalsRow } from './totals.ts';

const listedDistributor = rowCodec({
  totals: distributorTotalsRow.fields,
  /** `null` without a public profile. */
  profile: optional({ visibility: text, handle: nullable(text), displayName: nullable(text) }),
});

/** A distributor in the list. */
export type ListedDistributor = View<typeof listedDistributor>;

const distributorCursor = rowCodec({ place: id, address: text });

/** Cursor of a page of distributors: the rank of its last one, and its address. */
export type DistributorCursor = View<typeof distributorCursor>;

interface DistributorQuery {
  readonly slot: 'ranked' | 'new' | undefined;
  readonly category: string | undefined;
  readonly after: DistributorCursor | undefined;
  readonly limit: number;
}

/**
 * A page of the ranking. Distributors who hide which address their handle belongs to are left out, because
 * their rank would reveal it.
 */
export async function listDistributors(
  sql: Sql,
  { slot, category, after, limit }: DistributorQuery,
): Promise<{ readonly items: ListedDistributor[]; readonly next: DistributorCursor | null }> {
  const rows = await sql<StoredRow[]>`
    select ranking.*, profile.handle, profile.display_name, profile.visibility
    from commerce.distributor_ranking ranking
    left join commerce.distributor profile on profile.address = ranking.address
    where (profile.visibility is null or profile.visibility = 'public')
      ${slot === 'ranked' ? sql`and ranking.place >= ${MIN_RANKED_PLACE}` : sql``}
      ${slot === 'new' ? sql`and ranking.place < ${MIN_RANKED_PLACE}` : sql``}
      ${category === undefined ? sql`` : sql`and ranking.categories @> array[${category}::text]`}
      ${after ? isAfter(sql, after) : sql``}
    order by ranking.place desc, ranking.address limit ${limit + 1}`;
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(listedDistributor.decode),
    next: last ? distributorCursor.decode(last) : null,
  };
}

function isAfter(sql: Sql, { place, address }: DistributorCursor) {
  return sql`and ranking.place <= ${place}::bigint
    and (ranking.place < ${place}::bigint or ranking.address > ${address})`;
}
