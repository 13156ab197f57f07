import { openPool, type Pool } from '../../engine/db/connection.ts';
import { fillSums } from '../../test/support/fill-sums.ts';
import { fillMoney, fillNodes, fillSales } from './full-ledger-sales.ts';
import {
  DAYS,
  HASH,
  HOLD_SECONDS,
  LAST,
  otherMerchant,
  type Shape,
  shapeOf,
  skuOf,
} from './full-ledger-shape.ts';

/** Who owns what in it, for requests that need somebody signed in. */
export interface LedgerOwners {
  /** Merchant of all campaigns with sales; lower case. */
  readonly merchant: string;
  /** Has the second level of every tenth sale. */
  readonly earner: string;
}

const OTHER_CAMPAIGNS = 990;
/** Base units, of each campaign. */
const DEPOSIT = '1000000000000000';

/**
 * A ledger with very many sales, written set-wise as settlement would have left it: ten campaigns of
 * one merchant over 90 days, each round of each of them a join, a sale, and the end of the sale a
 * ninth of the rounds before; and 990 campaigns of others without sales. Sums, balances and counters
 * agree with the rows, so that what reads any of them reads the same. A pure function of its size.
 */
export async function fillFullLedger(
  url: string,
  { sales, merchant, earner }: LedgerOwners & { readonly sales: number },
): Promise<void> {
  const pool = openPool(url, { max: 2 });
  try {
    const shape = shapeOf(sales, earner);
    await pool`create schema made`;
    await makeRounds(pool, shape);
    const indexes = await dropIndexes(pool);
    await fillCampaigns(pool, shape, merchant);
    // Two at a time: the machine may have no more cores.
    await Promise.all([
      fillJournal(pool, shape),
      (async () => {
        await fillNodes(pool, shape);
        await fillSales(pool, shape);
        await fillMoney(pool, shape);
      })(),
    ]);
    await restoreIndexes(pool, indexes);
    await pool`analyze`;
    await fillSums(pool);
    await fillCommerce(pool, merchant);
    await pool`drop schema made cascade`;
    await pool`vacuum (analyze)`;
    await pool`checkpoint`;
  } finally {
    await pool.end();
  }
}

/** Who sold in each round, how deep that node is, and what became of the sale. */
async function makeRounds(pool: Pool, { campaigns, each, deep, lag }: Shape): Promise<void> {
  // How many of the first x sales have levels, and how many of the first y ends are refunds.
  await pool.unsafe(`
    create function made.linked(x bigint) returns bigint language sql immutable return
      case when x < ${deep + 19} then 0 else x - x / 10 - ${deep + 19} + ${deep + 19} / 10 end;
    create function made.refunded(y bigint) returns bigint language sql immutable return
      (y + 13) / 20;
    create function made.linked_refunded(y bigint) returns bigint language sql immutable return
      case when y < ${deep + 19} then 0 else (y + 13) / 20 - ${deep + 19 + 13} / 20 end;
    create function made.seq(r bigint) returns bigint language sql immutable return
      2 + 2 * r + greatest(0, r - 1 - ${lag});
    create function made.time(r bigint) returns bigint language sql immutable return
      ${LAST} - ${DAYS * 86_400} + r * ${DAYS * 86_400} / ${each};`);
  await pool`
    create unlogged table made.round as
    select c, r, (r - 1) * ${campaigns}::bigint + c as id, seller,
      case when step between 1 and 4 then seller - step when step > 4 then seller - 4 end as parent,
      case when r + ${lag}::bigint > ${each}::bigint then 'pending'
        when r % 20 = 7 then 'refunded' else 'finalized' end as state
    from generate_series(1, ${campaigns}::bigint) c, generate_series(1, ${each}::bigint) r
    cross join lateral (select case
        when r % 10 = 0 or r < ${deep + 20}::bigint then null
        when r % 10 = 1 then ${deep + 2}::bigint
        else ${deep + 1}::bigint + r * 7919 % (r - ${deep}::bigint) end as seller) sold
    cross join lateral (select (seller - ${deep + 1}::bigint) % 10 as step) place`;
}

/** Rows come faster without them; each is made again as its migration has it. */
async function dropIndexes(pool: Pool): Promise<string[]> {
  const rows = await pool<{ name: string; definition: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class t on t.oid = i.indrelid
    where t.relnamespace = 'ledger'::regnamespace and not i.indisunique
      and t.relname in ('journal', 'entry', 'node', 'sale', 'sale_level')`;
  for (const { name } of rows) await pool`drop index ${pool(name)}`;
  return rows.map(({ definition }) => definition);
}

/** Builds indexes, two at a time. */
async function restoreIndexes(pool: Pool, definitions: readonly string[]): Promise<void> {
  const waiting = [...definitions];
  const builder = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const definition = next;
      await pool.begin(async (sql) => {
        await sql`set local maintenance_work_mem = '512MB'`;
        await sql`set local max_parallel_maintenance_workers = 0`;
        await sql.unsafe(definition);
      });
    }
  };
  await Promise.all([builder(), builder()]);
}

async function fillCampaigns(pool: Pool, shape: Shape, merchant: string): Promise<void> {
  const { campaigns, each, lag } = shape;
  const ended = each - lag;
  await pool`
    insert into ledger.head (indexer_schema, indexer_ready, chain_number, indexed_number,
      settled_number, settled_hash, settled_timestamp, safe_number, finalized_number)
    values ('none', true, ${each + 2}, ${each + 2}, ${each + 2}, ${HASH}, ${LAST}, ${each - 30},
      ${each - 60})
    on conflict (singleton) do update set indexer_ready = true,
      chain_number = excluded.chain_number, indexed_number = excluded.indexed_number,
      settled_number = excluded.settled_number, settled_hash = excluded.settled_hash,
      settled_timestamp = excluded.settled_timestamp, safe_number = excluded.safe_number,
      finalized_number = excluded.finalized_number`;
  await pool`
    insert into ledger.campaign
    select c, case when own then ${merchant} else ${otherMerchant(pool)} end,
      '0x' || lpad(case when c % 10 > 7 then '2' else '1' end, 40, '0'), 6, 'TOK' || c % 3, 'Token',
      ${skuOf(pool)}, ${HASH}, 0, 4000000000, 'NATIVE_ONCHAIN', c % 10 = 9, 1,
      made.time(0) - 1, ${HASH}, true, c % 25 = 24, c % 30 = 29, 1000000, 10000000, 10000000,
      ${DEPOSIT}::numeric, ${DEPOSIT}::numeric - pending - vested, pending, vested, 0, 0,
      1000000 * (sold - done), 1000000 * (done - made.refunded(done)), 0,
      1000000 * made.refunded(done),
      sold - done, done - made.refunded(done), made.refunded(done), 0, sold, 1,
      1000, 2, ${HOLD_SECONDS}, 4000000000, c * 7919 % 9000, to_timestamp(${LAST}),
      25, ${HASH}, ${HASH}, 0
    from generate_series(1, ${campaigns + OTHER_CAMPAIGNS}::bigint) c
    cross join lateral (select c <= ${campaigns} as own) whose
    cross join lateral (select case when own then ${each}::bigint else 0 end as sold,
      case when own then ${ended}::bigint else 0 end as done) made
    cross join lateral (select 100000 * (made.linked(sold) - made.linked(done)) as pending,
      100000 * (made.linked(done) - made.linked_refunded(done)) as vested) money`;
  await pool`
    insert into ledger.cursor (campaign_id, seq, log_index, block_number, block_hash, digest, clock)
    select campaign_id, case when node_count > 0 then made.seq(${each}) + ${1 + (ended > 0 ? 1 : 0)}
        else 3 end,
      case when node_count > 0 then campaign_id * 3 + 3 else 3 end, case when node_count > 0 then ${each + 2} else 1 end,
      ${HASH}, ${HASH}, ${LAST}
    from ledger.campaign`;
  await pool`
    insert into ledger.policy
    select campaign_id, 1, 2, made.time(0) - 1, token, 1000, 1000000, ${DEPOSIT}, 2, '{6000,4000}',
      'RENORMALIZE_EXISTING', ${HOLD_SECONDS}, 4000000000, '{}', '{}', ${HASH}, ${HASH}
    from ledger.campaign`;
}

/** Three events that begin a campaign; then of each round a join, a sale, and the end of one. */
async function fillJournal(pool: Pool, { campaigns, each, lag }: Shape): Promise<void> {
  await pool`
    insert into ledger.journal
    select c, s, 0, 1, ${HASH}, made.time(0) - 1, ${HASH}, s,
      (array['CampaignCreated', 'PolicyScheduled', 'CampaignFunded'])[s], null, '{}', ${HASH},
      s > 2, false, false, 1000000, 10000000, 10000000,
      case when s > 2 then ${DEPOSIT}::numeric else 0 end,
      case when s > 2 then ${DEPOSIT}::numeric else 0 end, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    from generate_series(1, ${campaigns + OTHER_CAMPAIGNS}::bigint) c, generate_series(1, 3) s`;
  await pool`
    insert into ledger.journal
    select c, made.seq(r) + kind - 1, c * 3 + kind, 2 + r,
      ${HASH}, made.time(r), ledger.bytes_of('0x' || lpad(to_hex(r * 16 + c), 64, '0')), c * 3 + kind,
      case kind when 1 then 'NodeJoined' when 2 then 'SaleRecorded'
        else case when (r - ${lag}::bigint) % 20 = 7 then 'SaleRefunded' else 'SaleFinalized' end end,
      sale_id, jsonb_build_object('saleId', sale_id::text), ${HASH},
      true, false, false, 1000000, 10000000, 10000000, ${DEPOSIT}::numeric,
      ${DEPOSIT}::numeric - pending - vested, pending, vested, 0, 0,
      1000000 * (sold - done), 1000000 * (done - made.refunded(done)), 0,
      1000000 * made.refunded(done),
      sold - done, done - made.refunded(done), made.refunded(done), 0, r, 0
    from generate_series(1, ${campaigns}::bigint) c, generate_series(1, ${each}::bigint) r
    cross join generate_series(1, case when r > ${lag}::bigint then 3 else 2 end) kind
    cross join lateral (select case when kind = 1 then r - 1 else r end as sold,
      greatest(0, r - ${lag}::bigint - case when kind = 3 then 0 else 1 end) as done,
      case kind when 2 then (r - 1) * ${campaigns}::bigint + c
        when 3 then (r - 1 - ${lag}::bigint) * ${campaigns}::bigint + c end as sale_id) counted
    cross join lateral (select 100000 * (made.linked(sold) - made.linked(done)) as pending,
      100000 * (made.linked(done) - made.linked_refunded(done)) as vested) money`;
}

/** Profiles, products and what operators hid, so that filters have something to look at. */
async function fillCommerce(pool: Pool, merchant: string): Promise<void> {
  await pool`
    insert into commerce.merchant (id, address, slug, name)
    select 'm' || row_number() over (order by merchant), merchant,
      'slug-' || row_number() over (order by merchant), 'Merchant ' || left(merchant, 6)
    from (select distinct merchant from ledger.campaign) whose`;
  await pool`
    insert into commerce.product (id, merchant_id, sku_hash, title, summary, outcome, description,
      category, refund_policy, fulfillment_mode, price)
    select 'p' || c.campaign_id, m.id, c.sku_hash, 'Title ' || c.campaign_id, 'Summary', '', '',
      'cat' || c.campaign_id % 20, '', 'manual', 1
    from ledger.campaign c join commerce.merchant m on m.address = c.merchant
    where c.campaign_id % 2 = 0 or c.merchant = ${merchant}`;
  await pool`
    insert into commerce.product_version (product_id, version, body, saved_at)
    select id, 1, to_jsonb(product) - 'words', timestamptz 'epoch' from commerce.product`;
  await pool`
    insert into commerce.moderation (campaign_id, hidden)
    select campaign_id, true from ledger.campaign where campaign_id % 1000 = 999`;
}
