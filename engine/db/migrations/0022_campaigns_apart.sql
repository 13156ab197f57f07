-- What keeps one campaign from stopping or slowing the others (docs/how-it-works/settlement.md).

-- Failures of a campaign's batches that its own data caused, since its last batch that succeeded. Workers
-- share the count, and it outlives them: enough of them stop the campaign.
alter table ledger.cursor
  add column failures integer not null default 0 check (failures >= 0),
  add column failing_since timestamptz,
  add column failure text;

-- Campaigns whose id the contract cannot have given: 0, or above what the ledger's keys hold. Their facts
-- are never folded. Each row goes away with the facts: when a reorg takes its block, or with its schema.
create table ledger.refused_campaign (
  indexer_schema text not null references ledger.checked_head on delete cascade,
  campaign_id numeric not null,
  block_number bigint not null,
  since timestamptz not null default clock_timestamp(),
  primary key (indexer_schema, campaign_id)
);

-- Campaigns that may have checked facts that are not folded. The check adds a row in the statement that
-- compares a campaign's facts; the feeder deletes the rows that it saw when it finds nothing left to fold.
-- So a tick asks about these campaigns and not about all that exist. A campaign may have several rows: adding
-- one then never waits for another transaction, and deleting those that were seen loses none that comes.
create table ledger.behind (
  id bigint generated always as identity primary key,
  indexer_schema text not null references ledger.checked_head on delete cascade,
  campaign_id bigint not null
);
create index behind_campaign on ledger.behind (indexer_schema, campaign_id);

-- Whether `behind` is complete for the schema. For a schema that was checked before this table existed,
-- the feeder looks at every campaign once.
alter table ledger.checked_head add column behind_known boolean not null default false;
alter table ledger.checked_head alter column behind_known set default true;

-- Which campaigns have their newest event above a block: read by each tick, from this index alone.
drop index ledger.cursor_unfinalized;
create index cursor_unfinalized on ledger.cursor (block_number) include (campaign_id);
