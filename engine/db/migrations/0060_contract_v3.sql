-- Contract v3: policies that exclude self-referral, and limits of attesters. An earlier contract has neither: its
-- policies exclude no one, and its attesters have no limits.
-- locks: ledger.permission, ledger.policy
alter table ledger.policy add column excludes_self_referral boolean not null default false;

-- Of an attester, base units and unix seconds; null of a distributor. `expiry` 0 withdraws the permission.
alter table ledger.permission
  add column per_order numeric,
  add column daily numeric,
  add column expiry bigint;

-- What an attester attested on a day (unix days), base units: a row for each of its sales, with the sum after it.
create table ledger.attester_day (
  campaign_id bigint not null,
  seq bigint not null,
  account text not null,
  day integer not null,
  attested numeric not null,
  primary key (campaign_id, seq)
);
create index attester_day_account on ledger.attester_day (campaign_id, account, seq);
