-- Sums of sales and joins by campaign and account, kept with the rows that they are sums of, so that
-- partners and earnings read accounts and not sales (docs/how-it-works/ledger.md, «Sums by account»). They are of the
-- newest rows, as those of 0017_sums.sql are.
create table ledger.account_sum (
  campaign_id bigint not null,
  account text not null,
  -- Nodes that it owns, and when the first and the newest joined; null without one.
  links bigint not null,
  first_link_at bigint,
  last_link_at bigint,
  -- Sales of which it has a rewarded level, each once, by the nearest of them: 1 is direct.
  direct bigint not null,
  network bigint not null,
  -- Those of them that are finalized and not reversed, and their amounts less refunds.
  direct_settled bigint not null,
  network_settled bigint not null,
  settled_value numeric not null,
  primary key (campaign_id, account)
);

-- What a sale adds to those of each account that has a level of it. One definition, for settlement,
-- roll-back, the audit and this migration.
create view ledger.sale_account as
select sale.campaign_id, sale.sale_id, paid.account,
  (paid.nearest = 1)::int as direct, (paid.nearest > 1)::int as network,
  (paid.nearest = 1 and sale.state = 'finalized')::int as direct_settled,
  (paid.nearest > 1 and sale.state = 'finalized')::int as network_settled,
  case when sale.state = 'finalized' then sale.amount - sale.refunded_total else 0 end
    as settled_value
from ledger.sale
-- Grouped inside, so that the levels of each sale are looked up by its key, whatever was known of the
-- tables when settlement's statements were planned.
cross join lateral (
  select level.recipient as account, min(level.level) as nearest from ledger.sale_level level
  where level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
  group by level.recipient
) paid;

insert into ledger.account_sum
select campaign_id, account, sum(links), min(first_link_at), max(last_link_at), sum(direct),
  sum(network), sum(direct_settled), sum(network_settled), sum(settled_value)
from (
  select campaign_id, account, 0 as links, null::bigint as first_link_at,
    null::bigint as last_link_at, sum(direct) as direct, sum(network) as network,
    sum(direct_settled) as direct_settled, sum(network_settled) as network_settled,
    sum(settled_value) as settled_value
  from ledger.sale_account group by campaign_id, account
  union all
  select campaign_id, owner, count(*), min(block_timestamp), max(block_timestamp), 0, 0, 0, 0, 0
  from ledger.node group by campaign_id, owner
) each group by campaign_id, account;
