-- Names of tables and columns that say what they hold. Processes of the release before use the old names while they run: views,
-- and the column `told_at`. A migration of the next release drops those.
-- locks: ledger.change, ledger.taken_back, ledger.told, ledger.trouble
alter table ledger.told rename to published_seq;
alter index ledger.told_pkey rename to published_seq_pkey;
create view ledger.told as select campaign_id, seq from ledger.published_seq;

alter table ledger.taken_back rename to stale_publication;
alter index ledger.taken_back_pkey rename to stale_publication_pkey;
alter index ledger.taken_back_campaign rename to stale_publication_campaign;
alter sequence ledger.taken_back_id_seq rename to stale_publication_id_seq;
create view ledger.taken_back as select id, campaign_id, after_seq from ledger.stale_publication;

alter table ledger.trouble rename to feeder_error;
alter index ledger.trouble_pkey rename to feeder_error_pkey;
alter table ledger.feeder_error rename constraint trouble_name_check to feeder_error_name_check;
create view ledger.trouble as select name, since, block_number, message from ledger.feeder_error;

-- Instead of `told_at`. Rows from before get the time of the migration, so they are deleted later than others.
alter table ledger.change add column published_at timestamptz not null default now();
