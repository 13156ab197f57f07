-- Finality by block hash, and rollbacks under way (docs/how-it-works/settlement.md, "Reorgs").

alter table ledger.head
  -- Hash of the finalized block. The ledger was seen to be folded from the chain that has this block.
  add column finalized_hash text check (finalized_hash ~ '^0x[0-9a-f]{64}$'),
  -- The chain no longer has the finalized block: nothing is finalized until it has one again.
  add column finalized_replaced boolean not null default false,
  -- When the first campaign was rolled back; null once all campaigns are on the settled block's fork.
  add column rolling_back_since timestamptz;

-- Finality that was recorded by its number alone proves nothing. The next tick records it again.
update ledger.head set finalized_number = null, safe_number = null;

-- Hash of the final checked block; null before the first block.
alter table ledger.checked_head
  add column final_hash text check (final_hash ~ '^0x[0-9a-f]{64}$');

-- Each read asks which campaigns are stopped: nearly always none.
create index cursor_stopped_campaign on ledger.cursor (campaign_id) where stopped_at is not null;

-- 'orphaned': the indexer has rows of blocks that the chain has replaced.
alter table ledger.trouble drop constraint trouble_name_check;
alter table ledger.trouble add constraint trouble_name_check
  check (name in ('rpc', 'disagreement', 'mismatch', 'orphaned'));
