import type { Fragment, Sql } from '../../connection.ts';
import { small } from '../../row.ts';
import type { SearchText } from './text.ts';

/** Rows that are read for their words, and for names that are like a text, before they are sorted. */
const MAX_MATCHES = 1_000;

/** How well something matches, best first. `similar` is what a typing mistake explains. */
export const MATCHES = ['exact', 'prefix', 'words', 'mentioned', 'similar'] as const;

/** See `MATCHES`. */
export type Match = (typeof MATCHES)[number];

/** A table whose rows have names. */
export interface Named {
  readonly table: Fragment;
  readonly key: Fragment;
  /** Names as the search compares them, each with an index by their beginning. */
  readonly names: readonly Fragment[];
  /** Words as the search compares them: those of the names, and of descriptions. */
  readonly words: Fragment;
  /** Text that typing mistakes are looked for in. */
  readonly similar: Fragment;
  /** Rows that can be found. */
  readonly where: Fragment;
}

/** Codec of the column `rank`. */
export const rank = small.from('rank');

/**
 * Common table expressions of the rows that match a text. The last one, `ranked`, has their `key`, their `rank` (the index
 * of a `Match`), and how `alike` name and text are. Rows by name are read in its order, those by words up to a limit,
 * and those with a typing mistake only if there are few others.
 * @param limit rows that are wanted.
 */
export function rankedRows(
  sql: Sql,
  { table, key: id, names, words, similar, where }: Named,
  q: SearchText,
  limit: number,
): Fragment {
  const byName = names.map(
    (name) => sql`
      (select ${id} as key from ${table}
      where ${where} and ${name} collate "C" >= ${q.text} and ${name} collate "C" < ${`${q.text}\u{10ffff}`}
      order by ${name} collate "C" limit ${limit})
      union all`,
  );
  return sql`
    found as materialized (
      ${byName.reduce((all, one) => sql`${all} ${one}`)}
      (select ${id} from ${table}
      where ${where} and to_tsvector('simple', ${words}) @@ to_tsquery('simple', ${q.words})
      limit ${MAX_MATCHES})
    ), alike as materialized (
      select ${id} as key from ${table}
      where ${where} and ${similar} operator(%>) ${q.text}
        and ${q.similar} and (select count(distinct key) from found) < ${limit}
      limit ${MAX_MATCHES}
    ), ranked as materialized (
      select matching.key, case
          when ${anyName(sql, names, (name) => sql`${name} = ${q.text}`)} then 0
          when ${anyName(sql, names, (name) => sql`starts_with(${name}, ${q.text})`)} then 1
          when to_tsvector('simple', ${similar}) @@ to_tsquery('simple', ${q.words}) then 2
          else matching.rank
        end as rank,
        word_similarity(${q.text}, ${similar}) + similarity(${q.text}, ${similar}) as alike
      from (
        select key, min(rank) as rank from (
          select key, 3 as rank from found union all select key, 4 from alike
        ) each group by key
      ) matching
      join ${table} on ${id} = matching.key
    )`;
}

function anyName(sql: Sql, names: readonly Fragment[], is: (name: Fragment) => Fragment): Fragment {
  return names
    .map((name) => sql`coalesce(${is(name)}, false)`)
    .reduce((all, one) => sql`${all} or ${one}`);
}

/** The match with a rank. */
export function matchOf(index: number): Match {
  return MATCHES[index] ?? 'similar';
}

/**
 * How like a text a name must be to be taken for it with a typing mistake, 0 to 1. At this part of the trigrams, a letter that is
 * missing, doubled or wrong passes, and most other words do not. It holds for the transaction.
 */
const SIMILARITY = '0.45';

/** Sets what `rankedRows` takes for a typing mistake, within the caller's transaction. */
export async function setSimilarity(sql: Sql): Promise<void> {
  await sql`select set_config('pg_trgm.word_similarity_threshold', ${SIMILARITY}, true)`;
}
