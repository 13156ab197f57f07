import type { Pool } from '../../../engine/db/connection.ts';
import { hexText } from '../../../engine/db/hex.ts';
import { fillSums } from '../../support/fill-sums.ts';

/** Large enough for the planner to choose indexes where it would for any number. */
const CAMPAIGNS = 2_000;
/** Distance of the ids of a campaign's nodes and sales: those of campaign 777 are 777, 10777, 20777 and so on. */
const STRIDE = 10_000;
const NODES_EACH = 10;
const SALES_EACH = 10;

/**
 * A ledger of 2,000 campaigns, 20,000 nodes and 20,000 sales, written set-wise: enough rows for
 * the planner to choose as it would in earnest. Nodes of a campaign are one long path.
 */
export async function fillBigLedger(pool: Pool): Promise<void> {
  await pool`
    insert into ledger.head (indexer_schema, indexer_ready, chain_number, indexed_number,
      settled_number, settled_hash, settled_timestamp)
    values ('none', true, 5000, 5000, 5000, ${HASH}, 1700010000)
    on conflict (singleton) do update set indexer_ready = true, chain_number = 5000,
      indexed_number = 5000, settled_number = 5000, settled_hash = ${HASH},
      settled_timestamp = 1700010000`;
  await fillCampaigns(pool);
  await fillPrices(pool);
  await fillJournal(pool);
  await fillNodes(pool);
  await fillSales(pool);
  await fillMoney(pool);
  await fillChanges(pool);
  await fillCommerce(pool);
  await fillBuyersSide(pool);
  await fillSums(pool);
  await fillChangedSales(pool);
  await pool`vacuum (analyze)`;
}

const HASH = `0x${'ab'.repeat(32)}`;

async function fillCampaigns(pool: Pool): Promise<void> {
  await pool`
    insert into ledger.campaign
    select c, '0x' || lpad(to_hex(c % 500), 40, '0'), '0x' || lpad(to_hex(c % 3), 40, '0'), 6,
      'TOK' || c % 3, 'Token', ${sku(pool)}, ${HASH}, 0, 4000000000, 'NATIVE_ONCHAIN',
      c % 10 = 0, 1000 + c % 1000, 1700000000, ${HASH},
      c % 20 <> 0, c % 25 = 0, c % 30 = 0, 1000000, 1000, 1000,
      10000000, 10000000 - c * 7 % 9999, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, ${NODES_EACH}::int,
      1, 100 + c % 3000, 1 + c % 5, 60 + c % 7000, 4000000000, c % 9000, now(),
      25, ${HASH}, ${HASH}, 0
    from generate_series(1, ${CAMPAIGNS}::int) c`;
  await pool`
    insert into ledger.cursor (campaign_id, seq, log_index, block_number, block_hash, digest)
    select c, 23, c, 4000, ${HASH}, ${HASH}
    from generate_series(1, ${CAMPAIGNS}::int) c`;
  await pool`
    insert into ledger.policy
    select c, v, 2, 1700000000 + (v - 1) * 999999, '0x' || lpad('1', 40, '0'), 100 + c % 3000,
      1000000, 1000000, 3, '{5000,3000,2000}', 'RENORMALIZE_EXISTING', 600, 4000000000, '{}', '{}',
      ${HASH}, ${HASH}
    from generate_series(1, ${CAMPAIGNS}::int) c, generate_series(1, 2) v`;
}

/** Three prices each of the campaign's own SKU, and of a variant. */
async function fillPrices(pool: Pool): Promise<void> {
  await pool`
    insert into ledger.price
    select c, sku_hash, s, 1000000 - s
    from generate_series(1, ${CAMPAIGNS}::int) c cross join generate_series(1, 3) s
    cross join lateral (values (${sku(pool)}), (${`0x${'cd'.repeat(32)}`})) priced (sku_hash)`;
}

/** Seq 1 creates, 2 schedules, 3 funds, 4 to 13 join, 14 to 23 sell. */
async function fillJournal(pool: Pool): Promise<void> {
  await pool`
    insert into ledger.journal
    select c, s, 0, 1000 + c % 1000 + s * 100, ${HASH},
      1700000000 + s, ledger.bytes_of('0x' || rpad(lpad(to_hex(c * 100 + s), 8, '0'), 64, '0')), s, case
        when s = 1 then 'CampaignCreated' when s = 2 then 'PolicyScheduled'
        when s = 3 then 'CampaignFunded' when s <= 13 then 'NodeJoined' else 'SaleRecorded' end,
      case when s > 13 then (s - 14) * ${STRIDE}::int + c end, '{}', ${HASH},
      true, false, false, 1000000, 1000, 1000, 10000000, 10000000, 0, 0, 0, 0, 0, 0, 0, 0,
      greatest(0, s - 13), 0, 0, 0, least(10, greatest(0, s - 3)), 0
    from generate_series(1, ${CAMPAIGNS}::int) c, generate_series(1, 23) s`;
}

async function fillNodes(pool: Pool): Promise<void> {
  await pool`
    insert into ledger.permission
    select c, 'distributor', '0x' || lpad(to_hex(c % 997), 40, '0'), 3, true
    from generate_series(1, ${CAMPAIGNS}::int) c`;
  await pool`
    insert into ledger.node
    select c, (n - 1) * ${STRIDE}::int + c, 3 + n,
      case when n > 1 then (n - 2) * ${STRIDE}::int + c end,
      ledger.bytes_of('0x' || lpad(to_hex(c % 997 + n), 40, '0')), n, 1000 + c % 1000 + (3 + n) * 100,
      1700000000 + n, ${HASH}
    from generate_series(1, ${CAMPAIGNS}::int) c, generate_series(1, ${NODES_EACH}::int) n`;
}

async function fillSales(pool: Pool): Promise<void> {
  const sales = pool`
    generate_series(1, ${CAMPAIGNS}::int) c, generate_series(1, ${SALES_EACH}::int) n
    cross join lateral (select (n - 1) * ${STRIDE}::int + c as id) sale`;
  await pool`
    insert into ledger.sale
    select c, sale.id, 13 + n, ledger.bytes_of('0x' || lpad(to_hex(c % 300), 40, '0')), 9 * ${STRIDE}::int + c,
      1000000, 100000, 1, 1700000600, ledger.bytes_of('0x' || lpad(to_hex(sale.id), 64, '0')),
      ledger.bytes_of(${sku(pool)}),
      1000 + c % 1000 + (13 + n) * 100,
      1700000000, ${HASH}, 'pending', 0, null, 13 + n
    from ${sales}`;
  await pool`
    insert into ledger.sale_level (campaign_id, sale_id, level, recipient, node_id, share, reserved,
      released, vested, reversed, vested_seq, reserved_after)
    select c, sale.id, l, ledger.bytes_of('0x' || lpad(to_hex(c % 997 + 11 - l), 40, '0')),
      (10 - l) * ${STRIDE}::int + c, 30000, 30000, 0, 0, 0, 1, 30000
    from ${sales}, generate_series(1, 3) l`;
  await pool`
    insert into ledger.missed_reward
    select c, sale.id, 1, 'BUDGET', 13 + n, c,
      ledger.bytes_of('0x' || lpad(to_hex(c % 997), 40, '0')), 5
    from ${sales} where n <= 2`;
  await pool`
    insert into ledger.attestation
    select c, sale.id, 12 + n, '0x' || lpad('1', 40, '0'), 5 from ${sales} where n = 1`;
  await pool`
    insert into ledger.discrepancy
    select c, 13 + n, 0, 'POOL', sale.id, null, null, '1', '2' from ${sales} where n = 3 and c % 2 = 0`;
}

/** Its sales are all pending: sums and states of changed ones, as many as the planner would meet in earnest. */
async function fillChangedSales(pool: Pool): Promise<void> {
  await pool`
    insert into ledger.sale_version
    select campaign_id, sale_id, 23, 'pending', 1, null from ledger.sale`;
  await pool`
    insert into ledger.depth_day
    select c, 19000 + d, n, 1, 1
    from generate_series(1, ${CAMPAIGNS}::int) c, generate_series(1, 5) d, generate_series(1, 2) n`;
  await pool`
    insert into ledger.cohort_week
    select c, 19000 + d, 2800 + d, 1
    from generate_series(1, ${CAMPAIGNS}::int) c, generate_series(1, 10) d`;
}

async function fillMoney(pool: Pool): Promise<void> {
  await pool`
    insert into ledger.entry (campaign_id, seq, ordinal, block_number, kind, account, sale_id, level,
      node_id, amount, reserved_after, claimable_after, claimed_after, refunded_after, reversed_after)
    select s.campaign_id, s.seq, l.level, s.block_number, 'vest', l.recipient, s.sale_id, l.level,
      l.node_id, 30000, 0, 0, 0, 0, 0
    from ledger.sale s join ledger.sale_level l using (campaign_id, sale_id)`;
  await pool`
    insert into ledger.bucket
    select distinct campaign_id, recipient, 0, 0, 0, 0, 0, 0, 20 from ledger.sale_level`;
  await pool`
    insert into ledger.credit
    select distinct on (campaign_id, recipient) campaign_id, ${hexText(pool, pool`recipient`)}, 20,
      1000, 30000
    from ledger.sale_level`;
}

/** Ten changes of each campaign; of every fiftieth, retractions, of three sales each. */
async function fillChanges(pool: Pool): Promise<void> {
  await pool`
    insert into ledger.change
    select n, 1 + n % ${CAMPAIGNS}::int, case when n % 50 = 0 then 'retracted' else 'settled' end,
      1 + n % 20, 3 + n % 20
    from generate_series(1, ${10 * CAMPAIGNS}::int) n`;
  await pool`
    insert into ledger.retracted_sale
    select sale.campaign_id, sale.sale_id, change.sequence, change.from_seq, campaign.merchant,
      sale.buyer, sale.order_key, sale.node_id, sale.sku_hash
    from ledger.change join ledger.sale using (campaign_id) join ledger.campaign using (campaign_id)
    where change.kind = 'retracted' and sale.sale_id <= 3 * ${STRIDE}::int`;
  await pool`insert into ledger.published_seq select c, 23 from generate_series(1, ${CAMPAIGNS}::int) c`;
  await pool`update ledger.head set sequence = ${10 * CAMPAIGNS}`;
}

async function fillCommerce(pool: Pool): Promise<void> {
  await pool`
    insert into commerce.merchant (id, address, slug, name)
    select 'm' || m, '0x' || lpad(to_hex(m), 40, '0'), 'slug-' || m, 'Merchant ' || m
    from generate_series(0, 499) m`;
  await pool`
    insert into commerce.product (id, merchant_id, sku_hash, title, summary, outcome, description,
      category, refund_policy, fulfillment_mode, price)
    select 'p' || c, 'm' || c % 500, ${sku(pool)}, 'Title ' || c, 'Summary', '', '', 'cat' || c % 20,
      '', 'manual', 1
    from generate_series(1, ${CAMPAIGNS}::int) c where c % 2 = 0`;
  await pool`
    insert into commerce.product_version (product_id, version, body, saved_at)
    select id, v, to_jsonb(product) - 'words', timestamptz '2023-11-14' + v * interval '1 hour'
    from commerce.product, generate_series(1, 3) v`;
  await pool`
    insert into commerce.moderation (campaign_id, hidden)
    select c, true from generate_series(1, ${CAMPAIGNS}::int) c where c % 1000 = 0`;
}

/** A dispute about every third sale, with two messages; an intent of every second sale. */
async function fillBuyersSide(pool: Pool): Promise<void> {
  await pool`
    insert into commerce.dispute
    select 'd' || sale.sale_id, sale.campaign_id, ${hexText(pool, pool`sale.buyer`)},
      ${hexText(pool, pool`sale.order_key`)}, campaign.merchant,
      sale.hold_until + sale.sale_id % 997, 'other', 1000, 0, 'open', null, null, now(), now()
    from ledger.sale join ledger.campaign using (campaign_id) where sale.sale_id % 3 = 0`;
  await pool`
    insert into commerce.dispute_message
    select dispute.id || n, dispute.id, 'buyer', 'Please.', now()
    from commerce.dispute, generate_series(1, 2) n`;
  await pool`
    insert into commerce.checkout_intent
    select 'i' || sale_id, ${hexText(pool, pool`buyer`)}, ${hexText(pool, pool`order_key`)},
      sha256('x'), campaign_id, node_id, ${hexText(pool, pool`sku_hash`)}, '{}', amount,
      1, 'confirmed', now(), now(), now(), ${HASH}, null
    from ledger.sale where sale_id % 2 = 0`;
  await pool`
    insert into commerce.checkout_transaction
    select id, ${HASH}, null, null, 'included', now() from commerce.checkout_intent`;
}

/** A SKU of its own for each campaign. */
function sku(pool: Pool) {
  return pool`'0x' || lpad(to_hex(c), 64, '0')`;
}
