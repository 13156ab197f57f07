-- Contract v3: policies that exclude self-referral, and limits of attesters. An earlier contract has neither: its
-- policies exclude no one, and its attesters have no limits.
-- locks: ledger.permission, ledger.policy
alter table ledger.policy add column excludes_self_referral boolean not null default false;

-- Of an attester, base units and unix seconds; null of a distributor. `expiry` 0 withdraws the permission.
alter table ledger.permission
  add column per_order numeric,
  add column daily numeric,
  add column expiry bigint;
