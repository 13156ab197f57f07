import type { Pool } from '../../engine/db/connection.ts';
import { HOLD_SECONDS, ownerOf, type Shape, skuOf } from './full-ledger-shape.ts';

/** A chain of `deep` nodes, and then tens of one root with children and grandchildren. */
export async function fillNodes(pool: Pool, shape: Shape): Promise<void> {
  const { campaigns, each, deep } = shape;
  await pool`
    insert into ledger.node
    select c, (n - 1) * ${campaigns}::bigint + c, made.seq(n),
      (parent - 1) * ${campaigns}::bigint + c, ${ownerOf(pool, shape, pool`n`)},
      case when n <= ${deep}::bigint then n when step = 0 then 1 when step < 5 then 2
        when step < 9 then 3 else 4 end,
      2 + n, made.time(n), ledger.bytes_of('0x' || lpad(to_hex(n * 16 + c), 64, '0'))
    from generate_series(1, ${campaigns}::bigint) c, generate_series(1, ${each}::bigint) n
    cross join lateral (select (n - ${deep + 1}::bigint) % 10 as step) place
    cross join lateral (select case when n <= ${deep}::bigint then nullif(n - 1, 0)
      when step = 0 then null when step < 5 then n - step else n - 4 end as parent) above`;
}

export async function fillSales(pool: Pool, shape: Shape): Promise<void> {
  const { campaigns, lag } = shape;
  const closed = pool`made.seq(r + ${lag}::bigint) + 2`;
  const refunded = pool`case state when 'refunded' then 1000000 else 0 end`;
  const finalizedAt = pool`case state when 'finalized' then made.time(r + ${lag}::bigint) end`;
  await pool`
    insert into ledger.sale
    select c, id, made.seq(r) + 1, ledger.bytes_of('0x' || lpad(to_hex(r % 5000), 40, '0')),
      (seller - 1) * ${campaigns}::bigint + c, 1000000,
      case when seller is null then 0 else 100000 end, 1, made.time(r) + ${HOLD_SECONDS}::bigint,
      ledger.bytes_of('0x' || lpad(to_hex(id), 64, '0')), ledger.bytes_of(${skuOf(pool)}), 2 + r, made.time(r),
      ledger.bytes_of('0x' || lpad(to_hex(r * 16 + c), 64, '0')), state, ${refunded}, ${finalizedAt},
      case state when 'pending' then made.seq(r) + 1 else ${closed} end
    from made.round`;
  await pool`
    insert into ledger.sale_version
    select c, id, ${closed}, state, ${refunded}, ${finalizedAt} from made.round
    where state <> 'pending'`;
  await pool`
    insert into ledger.sale_level (campaign_id, sale_id, level, recipient, node_id, share, reserved,
      released, vested, reversed, vested_seq)
    select c, id, level, ${ownerOf(pool, shape, pool`node`)}, (node - 1) * ${campaigns}::bigint + c,
      share, case state when 'pending' then share else 0 end,
      case state when 'refunded' then share else 0 end,
      case state when 'finalized' then share else 0 end, 0,
      case state when 'finalized' then ${closed} end
    from made.round
    cross join lateral (values (1, seller, case when parent is null then 100000 else 60000 end),
      (2, parent, 40000)) path (level, node, share)
    where node is not null`;
  await pool`
    insert into ledger.missed_reward
    select campaign_id, sale_id, level, 'SALE_CAP', seq, node_id, recipient, 5
    from ledger.sale_level join (select campaign_id, sale_id, seq from ledger.sale) sale
      using (campaign_id, sale_id) where level = 1 and sale_id % 50 = 3`;
}

/** Reservations and entries with the balances after each, and each account's balances after the newest. */
export async function fillMoney(pool: Pool, { lag }: Shape): Promise<void> {
  await pool.begin(async (sql) => {
    await sql`set local work_mem = '512MB'`;
    await sql`
      create temporary table movement on commit drop as
      select campaign_id, seq, level - 1 as ordinal, block_number, kind, recipient, sale_id, level,
        node_id, amount, sum(reserved) over history as reserved_after,
        sum(vested) over history as vested_after, sum(released) over history as released_after
      from (
        select l.campaign_id, s.seq, s.block_number, 'reserve' as kind, recipient, sale_id, level,
          l.node_id, share as amount, share as reserved, 0 as vested, 0 as released
        from ledger.sale_level l join ledger.sale s using (campaign_id, sale_id)
        union all
        select l.campaign_id, s.changed_seq, s.block_number + ${lag}::bigint,
          case s.state when 'finalized' then 'vest' else 'release' end, recipient, sale_id, level,
          l.node_id, share, -share, l.vested, l.released
        from ledger.sale_level l join ledger.sale s using (campaign_id, sale_id)
        where s.state <> 'pending'
      ) moved
      window history as (partition by campaign_id, recipient order by seq, level)`;
    await sql`
      insert into ledger.entry
      select campaign_id, seq, ordinal, block_number, kind, recipient, sale_id, level, node_id,
        amount, reserved_after, vested_after, 0, released_after, 0, 0
      from movement where kind <> 'reserve'`;
    // Filled again rather than updated: the pages of a settled ledger have no old versions of rows.
    await sql`
      create temporary table level on commit drop as
      select l.campaign_id, l.sale_id, l.node_id, l.vested_seq, l.level, l.recipient, l.share,
        l.reserved, l.released, l.vested, l.reversed, movement.reserved_after
      from ledger.sale_level l join movement using (campaign_id, sale_id, level)
      where movement.kind = 'reserve'`;
    await sql`truncate ledger.sale_level`;
    await sql`insert into ledger.sale_level select * from level order by campaign_id, sale_id, level`;
    await sql`
      insert into ledger.bucket
      select campaign_id, recipient,
        coalesce(sum(reserved) filter (where hold_until > cursor.clock), 0),
        coalesce(sum(reserved) filter (where hold_until <= cursor.clock), 0),
        sum(vested), 0, sum(released), 0, null
      from ledger.sale_level join ledger.sale using (campaign_id, sale_id)
      join ledger.cursor using (campaign_id)
      group by campaign_id, recipient`;
  });
}
