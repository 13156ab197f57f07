-- What rankings count of an account in a campaign, kept with its other sums (0018_account_sums.sql), so
-- that the ranking and the records of distributors read accounts and not sales (docs/how-it-works/ledger.md, «Sums by
-- account»). A sale is ranked unless its buyer is the merchant or owns a rewarded node of its path.
alter table ledger.account_sum
  add column ranked_pending bigint not null default 0,
  -- Finalized and not reversed, by the nearest level, and their amounts less refunds.
  add column ranked_direct bigint not null default 0,
  add column ranked_network bigint not null default 0,
  add column ranked_refunded bigint not null default 0,
  add column ranked_reversed bigint not null default 0,
  add column ranked_value numeric not null default 0,
  -- When the newest of those finalized and not reversed was; null without one.
  add column last_settled_at bigint;

create or replace view ledger.sale_account as
select sale.campaign_id, sale.sale_id, paid.account,
  (paid.nearest = 1)::int as direct, (paid.nearest > 1)::int as network,
  (paid.nearest = 1 and sale.state = 'finalized')::int as direct_settled,
  (paid.nearest > 1 and sale.state = 'finalized')::int as network_settled,
  case when sale.state = 'finalized' then sale.amount - sale.refunded_total else 0 end
    as settled_value,
  (whose.ranked and sale.state = 'pending')::int as ranked_pending,
  (whose.ranked and sale.state = 'finalized' and paid.nearest = 1)::int as ranked_direct,
  (whose.ranked and sale.state = 'finalized' and paid.nearest > 1)::int as ranked_network,
  (whose.ranked and sale.state = 'refunded')::int as ranked_refunded,
  (whose.ranked and sale.state = 'reversed')::int as ranked_reversed,
  case when whose.ranked and sale.state = 'finalized' then sale.amount - sale.refunded_total
    else 0 end as ranked_value,
  case when whose.ranked and sale.state = 'finalized' then sale.finalized_at end
    as last_settled_at,
  whose.ranked
from ledger.sale
join ledger.campaign on campaign.campaign_id = sale.campaign_id
-- Grouped inside, so that the levels of each sale are looked up by its key, whatever was known of the
-- tables when settlement's statements were planned.
cross join lateral (
  select level.recipient as account, min(level.level) as nearest,
    bool_or(bool_or(level.recipient = sale.buyer)) over () as bought
  from ledger.sale_level level
  where level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
  group by level.recipient
) paid
cross join lateral (
  select sale.buyer <> campaign.merchant and not paid.bought as ranked
) whose;

update ledger.account_sum kept set
  ranked_pending = sold.ranked_pending, ranked_direct = sold.ranked_direct,
  ranked_network = sold.ranked_network, ranked_refunded = sold.ranked_refunded,
  ranked_reversed = sold.ranked_reversed, ranked_value = sold.ranked_value,
  last_settled_at = sold.last_settled_at
from (
  select campaign_id, account, sum(ranked_pending) as ranked_pending,
    sum(ranked_direct) as ranked_direct, sum(ranked_network) as ranked_network,
    sum(ranked_refunded) as ranked_refunded, sum(ranked_reversed) as ranked_reversed,
    sum(ranked_value) as ranked_value, max(last_settled_at) as last_settled_at
  from ledger.sale_account group by campaign_id, account
) sold
where sold.campaign_id = kept.campaign_id and sold.account = kept.account;
