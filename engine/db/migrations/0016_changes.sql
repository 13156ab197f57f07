-- Settled changes in one order, for readers who follow them (docs/how-it-works/settlement.md, «Changes»).

-- Counts the feeder's looks: one that began before another was written down is dropped. The newest
-- number of `change`. And which ledger the numbers are of: one that is made again counts anew.
alter table ledger.head
  add column looks bigint not null default 0,
  add column sequence bigint not null default 0,
  add column stream_epoch text not null default substr(md5(gen_random_uuid()::text), 1, 8);

-- What became readable, or was taken back, of one campaign. The feeder alone writes it, in the
-- transaction that moves the settled block, numbered without a gap in the order of commits.
-- `settled`: its events from one seq to another, 100 at most. `retracted`: those were told before,
-- and are taken back.
create table ledger.change (
  sequence bigint primary key,
  campaign_id bigint not null,
  kind text not null check (kind in ('settled', 'retracted')),
  from_seq bigint not null,
  to_seq bigint not null,
  told_at timestamptz not null default now(),
  check (from_seq between 1 and to_seq)
);
create index change_retracted on ledger.change (campaign_id, sequence) where kind = 'retracted';

-- Up to which event of each campaign `change` has told.
create table ledger.told (
  campaign_id bigint primary key,
  seq bigint not null
);

-- Roll-backs that `change` has yet to tell: written in the transaction that rolls back, deleted in
-- the one that tells. Nothing above `after_seq` is what it was.
create table ledger.taken_back (
  id bigint primary key generated always as identity,
  campaign_id bigint not null,
  after_seq bigint not null
);
create index taken_back_campaign on ledger.taken_back (campaign_id);

-- What a ledger held before it had changes is no change.
insert into ledger.told (campaign_id, seq)
select campaign_id, max(seq) from ledger.journal
where block_number <= (select settled_number from ledger.head)
group by campaign_id;
