-- Names of tables and columns that say what they hold. Processes of the release before read and write the old names through
-- views, which the release after next drops.
-- locks: ledger.told
alter table ledger.told rename to published_seq;
alter index ledger.told_pkey rename to published_seq_pkey;
create view ledger.told as select campaign_id, seq from ledger.published_seq;
