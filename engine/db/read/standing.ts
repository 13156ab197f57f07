import type { Sql } from '../connection.ts';
import type { AsOf } from './one-read.ts';

/**
 * Joins to `campaign` its standing as of the settled block, as `standing`: the row of `journal` of its
 * newest event at or below it. One index probe a campaign; a campaign without such an event drops out.
 * @param columns of `journal`; where `seq` is enough, the index alone is read.
 */
export function joinStanding(
  sql: Sql,
  at: Pick<AsOf, 'number'>,
  columns: ReturnType<Sql> = sql`*`,
) {
  return sql`
    join lateral (
      select ${columns} from ledger.journal
      where campaign_id = campaign.campaign_id and block_number <= ${at.number}
      order by block_number desc, seq desc limit 1
    ) standing on true`;
}
