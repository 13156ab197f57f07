-- How often the chain was indexed anew from the RPC up (`tributary reindex`). The indexer's schema and
-- its cache of RPC answers are named after it, so that each start goes on with the newest.
alter table ledger.head
  add column indexer_generation integer not null default 0 check (indexer_generation >= 0);
