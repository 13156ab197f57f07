import type { Pool } from '../../../engine/db/connection.ts';
import { fillSums } from '../../support/fill-sums.ts';

const HASH = `0x${'ab'.repeat(32)}`;

/** When the newest of the sales was made, and the settled block: 17 November 2023, UTC. */
const LAST = 1_700_200_000;

const CAMPAIGNS = 10;
const NODES_EACH = 1_000;
const DAYS = 90;

/**
 * A ledger of one merchant with very many sales over 90 days, written set-wise: ten campaigns, 1,000
 * nodes each, nine of ten sales finalized with two rewarded levels. The entries are left out: what
 * reads them reads sales that changed after the settled block, and there is none.
 */
export async function fillManySales(
  pool: Pool,
  { merchant, sales }: { readonly merchant: string; readonly sales: number },
): Promise<void> {
  const each = Math.floor(sales / CAMPAIGNS);
  await pool`
    insert into ledger.head (indexer_schema, indexer_ready, chain_number, indexed_number,
      settled_number, settled_hash, settled_timestamp)
    values ('none', true, 100000, 100000, 100000, ${HASH}, ${LAST})
    on conflict (singleton) do update set settled_number = 100000, settled_hash = ${HASH},
      settled_timestamp = ${LAST}`;
  await pool`
    insert into ledger.campaign
    select c, ${merchant}, '0x' || lpad('1', 40, '0'), 6, 'TUSD', 'Token',
      '0x' || lpad(to_hex(c), 64, '0'), ${HASH}, 0, 4000000000, 'NATIVE_ONCHAIN', false, 1,
      ${LAST - DAYS * 86_400 - 1}, ${HASH}, true, false, false, 1000000, 1000000, 10000000,
      10000000, 10000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, ${NODES_EACH}::int, 1, 1000, 3, 600,
      4000000000, 1, now()
    from generate_series(1, ${CAMPAIGNS}::int) c`;
  await pool`
    insert into ledger.journal
    select c, s, 0, 2 + s / 100, ${HASH},
      ${LAST - DAYS * 86_400}, ${HASH}, 1, 'SaleRecorded', s, '{}', ${HASH},
      true, false, false, 1000000, 1000, 1000, 10000000, 10000000, 0, 0, 0, 0, 0, 0, 0, 0,
      0, s, 0, 0, 0
    from generate_series(1, ${CAMPAIGNS}::int) c, generate_series(1, ${each}::int) s`;
  await pool`
    insert into ledger.node
    select c, n, n, case when n % 3 <> 1 then n - 1 end, ledger.bytes_of('0x' || lpad(to_hex(n), 40, '0')),
      1 + (n - 1) % 3, 1, ${LAST - DAYS * 86_400} + n * 7776, ${HASH}
    from generate_series(1, ${CAMPAIGNS}::int) c, generate_series(1, ${NODES_EACH}::int) n`;
  await pool`
    insert into ledger.sale
    select c, (s - 1) * ${CAMPAIGNS}::int + c, s, ledger.bytes_of('0x' || lpad(to_hex(s % 5000), 40, '0')),
      1 + s % ${NODES_EACH}::int, 1000000, 100000, 1, 1700000600, ${HASH},
      ledger.bytes_of('0x' || lpad(to_hex(c), 64, '0')), 2 + s / 100,
      ${LAST}::bigint - (${each}::bigint - s) * ${DAYS * 86_400}::bigint / ${each}::bigint, ${HASH},
      case when s % 10 = 0 then 'pending' else 'finalized' end, 0,
      case when s % 10 = 0 then null else 1700100000 end, s
    from generate_series(1, ${CAMPAIGNS}::int) c, generate_series(1, ${each}::int) s`;
  await pool`
    insert into ledger.sale_level (campaign_id, sale_id, level, recipient, node_id, share, reserved,
      released, vested, reversed, vested_seq)
    select campaign_id, sale_id, l, ledger.bytes_of('0x' || lpad(to_hex(node_id + l), 40, '0')), node_id,
      50000, case state when 'pending' then 50000 else 0 end, 0,
      case state when 'pending' then 0 else 50000 end, 0, case state when 'pending' then null else seq end
    from ledger.sale, generate_series(1, 2) l`;
  await fillSums(pool);
  await pool`vacuum (analyze)`;
}
