import type { Fragment, Sql } from '../../connection.ts';

/**
 * Joins to `level`, a row of `sale_level`, what it was as of an event, as `level_before`, if `isChanged`:
 * the sum of the level's entries until that event. Otherwise `level_before` is null and the row is right.
 * @param isChanged a condition: a later event may have changed the level's sale.
 * @param seq sequence number of the event in the campaign.
 */
export function joinLevelBefore(sql: Sql, isChanged: Fragment, seq: Fragment | string) {
  return sql`
    left join lateral (
      select coalesce((array_agg(held_after order by entry.seq desc, ordinal desc))[1], level.share)
          as reserved,
        coalesce(sum(amount) filter (where kind = 'release'), 0) as released,
        coalesce(sum(amount) filter (where kind = 'vest'), 0) as vested,
        coalesce(sum(amount) filter (where kind = 'reverse'), 0) as reversed,
        max(entry.seq) filter (where kind = 'vest') as vested_seq
      from ledger.entry
      where entry.campaign_id = level.campaign_id and entry.sale_id = level.sale_id
        and entry.level = level.level and entry.seq <= ${seq}
      having ${isChanged}
    ) level_before on true`;
}

/** An amount of `level` in base units as of the event of `joinLevelBefore`. */
export function levelAmount(sql: Sql, name: 'reserved' | 'released' | 'vested' | 'reversed') {
  return sql`coalesce(level_before.${sql(name)}, level.${sql(name)})`;
}

/** Sequence number of the event that vested `level`, as of the event of `joinLevelBefore`; or null. */
function levelVestedSeq(sql: Sql) {
  return sql`case when level_before.reserved is null then level.vested_seq
    else level_before.vested_seq end`;
}

/** The columns of `level` that events change, as of the event of `joinLevelBefore`. */
export function levelState(sql: Sql) {
  return sql`
    ${levelAmount(sql, 'reserved')} as reserved, ${levelAmount(sql, 'released')} as released,
    ${levelAmount(sql, 'vested')} as vested, ${levelAmount(sql, 'reversed')} as reversed,
    ${levelVestedSeq(sql)} as vested_seq`;
}
