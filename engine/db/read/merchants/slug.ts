import type { Fragment, Sql } from '../../connection.ts';

/**
 * SQL of the address of the merchant with a slug, or of the one that gave it up and whose address it still leads to
 * (docs/reference/api.md#protected-names); null without one. A deleted account's slugs lead nowhere.
 */
export function addressOfSlug(sql: Sql, slug: string): Fragment {
  return sql`coalesce(
    (select address from commerce.merchant where slug = ${slug}),
    (
      select former.address from commerce.released_name old
      join commerce.merchant former on former.address = old.address
      where old.kind = 'slug' and old.name = ${slug} and former.slug !~ '^deleted-[0-9a-f]{32}$'
    )
  )`;
}
