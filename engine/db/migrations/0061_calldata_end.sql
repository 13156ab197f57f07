-- The end of the calldata of a sale's transaction if codes are attached to it (ERC-8021), `0x` if none are. Null if that is not known:
-- for sales of the release before, and for those that the indexer loaded as finalized history.
-- locks: ledger.sale
alter table ledger.sale add column calldata_end text;
