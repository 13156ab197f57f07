import type { Fragment, Sql } from '../../connection.ts';
import { hexText } from '../../hex.ts';

/**
 * The accounts that an event concerns, as a list without duplicates: those that its arguments name, those whose
 * money it moves, and the buyer of its sale.
 * @param event row of `ledger.journal`.
 */
export function eventAccounts(sql: Sql, event: Fragment) {
  return sql`array(
    select distinct account from (
      select ${hexText(sql, sql`account`)} as account from ledger.entry entry
      where entry.campaign_id = ${event}.campaign_id and entry.seq = ${event}.seq
      union all
      select ${hexText(sql, sql`level.recipient`)} from ledger.sale
      join ledger.sale_level level on level.campaign_id = sale.campaign_id
        and level.sale_id = sale.sale_id and level.share <> 0
      where sale.campaign_id = ${event}.campaign_id and sale.sale_id = ${event}.sale_id
        and sale.seq = ${event}.seq
      union all
      select ${hexText(sql, sql`buyer`)} from ledger.sale sale
      where sale.campaign_id = ${event}.campaign_id and sale.sale_id = ${event}.sale_id
      union all
      select unnest(array[
        ${event}.args ->> 'account', ${event}.args ->> 'buyer', ${event}.args ->> 'merchant',
        ${event}.args ->> 'owner', ${event}.args ->> 'recipient', ${event}.args ->> 'signer'
      ])
    ) named where account is not null order by account
  )`;
}
