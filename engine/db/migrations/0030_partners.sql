-- Totals of an account over all campaigns of a merchant, so that a page of partners is read by an index and
-- not added up (docs/ledger.md#sums-by-merchant). Sums of the newest rows of ledger.account_sum, of which
-- they are made. An account with zeros counts as one without a row.
create table ledger.merchant_partner (
  merchant text not null,
  account text not null,
  -- Nodes that it owns, and when the first joined; null without one.
  links bigint not null,
  -- Sales of which it has a rewarded level that are finalized and not reversed, each counted once.
  settled bigint not null,
  first_link_at bigint,
  primary key (merchant, account)
);

insert into ledger.merchant_partner
select campaign.merchant, sums.account, sum(sums.links),
  sum(sums.direct_settled + sums.network_settled),
  min(sums.first_link_at) filter (where sums.links > 0)
from ledger.account_sum sums
join ledger.campaign on campaign.campaign_id = sums.campaign_id
group by campaign.merchant, sums.account;

-- One for each sort that reads it. Only accounts with links are partners.
create index merchant_partner_settled on ledger.merchant_partner (merchant, settled desc, account)
  where links > 0;
create index merchant_partner_first_link
  on ledger.merchant_partner (merchant, first_link_at desc, account) where links > 0;
