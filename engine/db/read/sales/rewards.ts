import type { Sql } from '../../connection.ts';
import { joinLevelBefore, levelAmount } from '../as-of/level.ts';
import { newestSeq } from './rows.ts';

/**
 * Base units that all levels of a sale have as of the settled block: reserved or vested, less what was
 * reversed. A scalar over `sale` with what `joinSale` joins.
 */
export function saleRewards(sql: Sql) {
  return sql`(
    select coalesce(sum(${levelAmount(sql, 'reserved')} + ${levelAmount(sql, 'vested')}
      - ${levelAmount(sql, 'reversed')}), 0)
    from ledger.sale_level level
    ${joinLevelBefore(sql, sql`before_change.state is not null`, newestSeq(sql))}
    where level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id)`;
}
