-- Sums of sales and joins by day, kept with the rows that they are sums of, so that analytics read
-- days and not sales (docs/use/analytics.md, «How it is read»). They are of the newest rows, as `bucket`
-- is; whoever reads as of an earlier event puts right what changed since. A day is the number of its
-- midnights since 1970 in UTC; sums of amounts may be longer than any one of them.

-- Sales by the day they were recorded on, as they stand; `linked` are those made by a node.
create table ledger.sale_day (
  campaign_id bigint not null,
  day bigint not null,
  linked boolean not null,
  pending bigint not null,
  -- Reversed ones not included.
  finalized bigint not null,
  refunded bigint not null,
  reversed bigint not null,
  -- Of the finalized ones: amounts less refunds, and what their levels vested.
  value numeric not null,
  rewards numeric not null,
  primary key (campaign_id, day, linked)
);

-- Nodes by the day they joined on.
create table ledger.node_day (
  campaign_id bigint not null,
  day bigint not null,
  joined bigint not null,
  primary key (campaign_id, day)
);

-- Finalized sales by day and depth of the selling node; 1 for a root.
create table ledger.depth_day (
  campaign_id bigint not null,
  day bigint not null,
  depth integer not null,
  finalized bigint not null,
  rewards numeric not null,
  primary key (campaign_id, day, depth)
);

-- Finalized sales by the day on which the selling node joined, and the week, from Monday in UTC, in
-- which they were recorded; week 0 began on 5 January 1970.
create table ledger.cohort_week (
  campaign_id bigint not null,
  join_day bigint not null,
  week bigint not null,
  finalized bigint not null,
  primary key (campaign_id, join_day, week)
);

-- What a sale adds to them. One definition, for settlement, roll-back, the audit and this migration.
create view ledger.sale_sum as
select sale.campaign_id, sale.sale_id, sale.block_timestamp / 86400 as day,
  sale.node_id is not null as linked,
  (sale.state = 'pending')::int as pending, (sale.state = 'finalized')::int as finalized,
  (sale.state = 'refunded')::int as refunded, (sale.state = 'reversed')::int as reversed,
  case when sale.state = 'finalized' then sale.amount - sale.refunded_total else 0 end as value,
  coalesce(paid.rewards, 0) as rewards, node.depth, node.block_timestamp / 86400 as join_day,
  (sale.block_timestamp - 345600) / 604800 as week
from ledger.sale
-- Conditions inside, so that a sale which is not finalized costs no probe.
left join lateral (
  select sum(level.vested) as rewards from ledger.sale_level level
  where sale.state = 'finalized' and sale.node_id is not null
    and level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
) paid on true
left join lateral (
  select seller.depth, seller.block_timestamp from ledger.node seller
  where sale.state = 'finalized'
    and seller.campaign_id = sale.campaign_id and seller.node_id = sale.node_id
) node on true;

insert into ledger.sale_day
select campaign_id, day, linked, sum(pending), sum(finalized), sum(refunded), sum(reversed),
  sum(value), sum(rewards)
from ledger.sale_sum group by campaign_id, day, linked;

insert into ledger.node_day
select campaign_id, block_timestamp / 86400, count(*) from ledger.node group by 1, 2;

insert into ledger.depth_day
select campaign_id, day, depth, sum(finalized), sum(rewards)
from ledger.sale_sum where depth is not null group by campaign_id, day, depth;

insert into ledger.cohort_week
select campaign_id, join_day, week, sum(finalized)
from ledger.sale_sum where join_day is not null group by campaign_id, join_day, week;
