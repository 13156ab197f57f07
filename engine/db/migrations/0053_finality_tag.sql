-- Has a row if the chain has ever returned its finalized block. An RPC that starts again, or refuses the tag, must not let
-- the indexer's own finality take its place (docs/how-it-works/settlement.md#a-refusal-is-not-an-absence). Not a column of
-- `ledger.head`: processes of the release before read all of its columns, and a new one fails a read of each connection.
-- locks: none
create table ledger.finality_tag (
  singleton boolean primary key default true check (singleton),
  seen_at timestamptz not null default now()
);
