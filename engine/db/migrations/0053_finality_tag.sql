-- Whether the chain has ever returned its finalized block. An RPC that starts again, or refuses the tag, must not let the
-- indexer's own finality take its place (docs/settlement.md#a-refusal-is-not-an-absence).
-- locks: ledger.head
alter table ledger.head add column finalized_tag_seen boolean not null default false;
