-- What was compared with the chain itself (docs/how-it-works/settlement.md, «Detect, don't trust»): only facts
-- that are in here, or at or below a checked block that is final, are folded.

-- How far, for each schema of the indexer: another schema's rows are other rows.
create table ledger.checked_head (
  indexer_schema text primary key,
  -- Facts up to here are those that the chain has. The hash is null before the first block.
  number bigint not null,
  hash text check (hash ~ '^0x[0-9a-f]{64}$'),
  timestamp bigint not null,
  -- Up to here they were final to the indexer when they were compared: nothing takes them back.
  final_number bigint not null check (final_number <= number),
  final_timestamp bigint not null
);

-- Checked blocks above the final one, by which a reorg's last common block is found.
create table ledger.checked_block (
  indexer_schema text not null references ledger.checked_head on delete cascade,
  number bigint not null,
  hash text not null check (hash ~ '^0x[0-9a-f]{64}$'),
  timestamp bigint not null,
  primary key (indexer_schema, number)
);

-- The facts above the final block that the chain has, one by one: a fact that comes or goes after
-- the check is told from those that were there.
create table ledger.checked_log (
  indexer_schema text not null references ledger.checked_head on delete cascade,
  campaign_id numeric(78, 0) not null,
  event_id text not null check (event_id ~ '^[0-9]{75}$'),
  block_number bigint not null,
  block_hash text not null check (block_hash ~ '^0x[0-9a-f]{64}$'),
  primary key (indexer_schema, campaign_id, event_id)
);
create index checked_log_block on ledger.checked_log (indexer_schema, block_number);

-- What the feeder met at its last look and could not help. It goes away with its cause.
create table ledger.trouble (
  name text primary key check (name in ('rpc', 'disagreement', 'mismatch')),
  since timestamptz not null default clock_timestamp(),
  -- The block that it is about, where there is one.
  block_number bigint,
  message text not null
);

-- Since when a head stands still behind another: null where it does not.
alter table ledger.head
  add column indexed_behind_since timestamptz,
  add column settled_behind_since timestamptz;
