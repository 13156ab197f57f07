-- Totals of an account over all campaigns of a merchant, so that a page of partners is read by an index and
-- not added up (docs/how-it-works/ledger.md#sums-by-merchant). They are sums of the newest rows of ledger.account_sum. An
-- account with zeros counts as one without a row.
create table ledger.merchant_partner (
  merchant text not null,
  account text not null,
  -- Nodes that it owns, and when the first joined; null without one.
  links bigint not null,
  -- Finalized sales, not reversed, in which it has a rewarded level; each is counted once.
  settled bigint not null,
  first_link_at bigint,
  -- `settled` rounded down, which a list is read in the order of. It changes rarely, so that most updates of a
  -- row leave its indexes alone: an index of `settled` itself costs each update three times as much.
  settled_class bigint not null generated always as (
    case when settled < 16 then settled
      when settled < 64 then settled / 4 * 4
      when settled < 256 then settled / 16 * 16
      when settled < 1024 then settled / 64 * 64
      when settled < 4096 then settled / 256 * 256
      when settled < 65536 then settled / 4096 * 4096
      else settled / 65536 * 65536 end
  ) stored,
  primary key (merchant, account)
-- Room on each page for the next version of its rows.
) with (fillfactor = 75);

insert into ledger.merchant_partner
select campaign.merchant, sums.account, sum(sums.links),
  sum(sums.direct_settled + sums.network_settled),
  min(sums.first_link_at) filter (where sums.links > 0)
from ledger.account_sum sums
join ledger.campaign on campaign.campaign_id = sums.campaign_id
group by campaign.merchant, sums.account;

-- One for each sort that reads it. Only accounts with links are partners.
create index merchant_partner_settled on ledger.merchant_partner (merchant, settled_class desc)
  where links > 0;
create index merchant_partner_first_link
  on ledger.merchant_partner (merchant, first_link_at desc) where links > 0;
