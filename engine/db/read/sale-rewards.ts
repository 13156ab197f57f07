import type { Sql } from '../connection.ts';

/**
 * What all levels of a sale have of it as of the settled block, reserved or vested, less what was
 * reversed; base units. A scalar over `sale`, and `newest` and `past` of `saleJoins`: the levels' rows
 * hold the newest standing, and where a later event changed it, the entries up to then tell it.
 */
export function saleRewards(sql: Sql) {
  return sql`(
    select coalesce(sum(case when past.state is null
      then level.reserved + level.vested - level.reversed
      else (
        select coalesce(
            (array_agg(entry.held_after order by entry.seq desc, entry.ordinal desc))[1],
            level.share
          )
          + coalesce(sum(entry.amount) filter (where entry.kind = 'vest'), 0)
          - coalesce(sum(entry.amount) filter (where entry.kind = 'reverse'), 0)
        from ledger.entry
        where entry.campaign_id = sale.campaign_id and entry.sale_id = sale.sale_id
          and entry.level = level.level and entry.seq <= newest.seq
      ) end), 0)
    from ledger.sale_level level
    where level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id)`;
}
