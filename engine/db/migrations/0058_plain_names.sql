-- Names of tables and columns that say what they hold. Processes of the release before read and write the old names through
-- views, which the release after next drops.
-- locks: ledger.taken_back, ledger.told
alter table ledger.told rename to published_seq;
alter index ledger.told_pkey rename to published_seq_pkey;
create view ledger.told as select campaign_id, seq from ledger.published_seq;

alter table ledger.taken_back rename to stale_publication;
alter index ledger.taken_back_pkey rename to stale_publication_pkey;
alter index ledger.taken_back_campaign rename to stale_publication_campaign;
alter sequence ledger.taken_back_id_seq rename to stale_publication_id_seq;
create view ledger.taken_back as select id, campaign_id, after_seq from ledger.stale_publication;
