import { describe, expect, it } from 'vitest';
import type { Pool } from '../../engine/db/connection.ts';
import { useDatabase } from '../support/own-database.ts';

describe('the indexes of the ledger', () => {
  const database = useDatabase();

  it('an index whose columns another one begins with does not exist', async () => {
    expect(await redundantIndexes(database.pool)).toEqual([]);
  });

  it('finds an index that another one covers, whatever its kind', async () => {
    await database.pool`create index by_key on ledger.sale using hash (order_key)`;
    await database.pool`create index by_time on ledger.sale (campaign_id, block_timestamp)`;
    await database.pool`create index by_state on ledger.sale (campaign_id, hold_until) where state <> 'pending'`;
    expect(await redundantIndexes(database.pool)).toEqual([
      { redundant: 'by_key', covered: 'sale_order' },
      { redundant: 'by_time', covered: 'sale_time' },
    ]);
  });
});

/**
 * Indexes that no query needs: another one begins with their columns and has the same rows. Not those that are
 * unique or include further columns.
 */
async function redundantIndexes(pool: Pool): Promise<{ redundant: string; covered: string }[]> {
  const rows = await pool<{ redundant: string; covered: string }[]>`
    with index as (
      select indexrelid, indrelid, indisunique, indnatts > indnkeyatts as includes,
        pg_get_expr(indpred, indrelid) as predicate,
        amname, relname, (
          select array_agg(
            pg_get_indexdef(indexrelid, n, true)
            || case when amname = 'btree' then ' ' || indcollation[n - 1] else '' end order by n
          ) from generate_series(1, indnkeyatts) n
        ) as ordered, (
          select array_agg(pg_get_indexdef(indexrelid, n, true) order by n)
          from generate_series(1, indnkeyatts) n
        ) as columns
      from pg_index
      join pg_class on pg_class.oid = indexrelid
      join pg_am on pg_am.oid = relam
      where relnamespace = 'ledger'::regnamespace
    )
    select redundant.relname as redundant, covering.relname as covered
    from index redundant
    join index covering on covering.indrelid = redundant.indrelid
      and covering.indexrelid <> redundant.indexrelid and covering.amname = 'btree'
      and covering.predicate is not distinct from redundant.predicate
      and case redundant.amname
        when 'btree' then covering.ordered[:cardinality(redundant.ordered)] = redundant.ordered
        else covering.columns[:cardinality(redundant.columns)] = redundant.columns
      end
    where not redundant.indisunique and not redundant.includes
    order by redundant.relname`;
  return rows.map(({ redundant, covered }) => ({ redundant, covered }));
}
