import type { Pool } from '../../engine/db/connection.ts';
import { foldedTables } from '../../engine/db/tables/ledger.ts';
import { dropIndexes, restoreIndexes } from './full-ledger.ts';

/** Sizes of a ledger that is copied within its database. */
export interface Multiplied {
  /** Campaigns 1 to this exist. */
  readonly campaigns: number;
  /** Copies, with the original. */
  readonly times: number;
}

/** Larger than the ids of sales and nodes of the original. */
const ID_STRIDE = 10_000_000;

/**
 * Adds copies of all campaigns to a ledger that settlement wrote, as campaigns of their own with the same merchants and
 * accounts. Sales and nodes get new ids. Everything that an audit checks of rows is true of each copy.
 */
export async function multiplyLedger(pool: Pool, { campaigns, times }: Multiplied): Promise<void> {
  const indexes = await dropIndexes(pool);
  for (const name of [...foldedTables.map((table) => table.name), 'cursor']) {
    const columns = await pool<{ name: string }[]>`
      select attname as name from pg_attribute
      where attrelid = ${`ledger.${name}`}::regclass and attnum > 0 and not attisdropped
      order by attnum`;
    const copied = columns.map((column) => expressionOf(column.name, campaigns));
    await pool.unsafe(`
      insert into ledger.${name} (${columns.map((column) => column.name).join(', ')})
      select ${copied.join(', ')} from generate_series(1, ${times - 1}) k cross join ledger.${name}
      where campaign_id <= ${campaigns}`);
  }
  await restoreIndexes(pool, indexes);
  await pool`delete from ledger.merchant_partner`;
  await pool`
    insert into ledger.merchant_partner (merchant, account, links, settled, first_link_at)
    select campaign.merchant, sums.account, sum(sums.links),
      sum(sums.direct_settled + sums.network_settled),
      min(sums.first_link_at) filter (where sums.links > 0)
    from ledger.account_sum sums join ledger.campaign on campaign.campaign_id = sums.campaign_id
    group by campaign.merchant, sums.account`;
}

/** A column of the copy number `k`. */
function expressionOf(column: string, campaigns: number): string {
  switch (column) {
    case 'campaign_id':
      return `campaign_id + k * ${campaigns}`;
    case 'sale_id':
    case 'node_id':
    case 'parent_node_id':
      return `${column} + k::bigint * ${ID_STRIDE}`;
    case 'order_key':
    case 'transaction_hash':
      return `sha256(${column} || convert_to(k::text, 'UTF8'))`;
    default:
      return `"${column}"`;
  }
}
