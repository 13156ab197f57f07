-- An event is found by its block and log, and Ponder's event id of 75 digits is composed from columns: no row repeats it. It has the index
-- of the transaction, which no column had. This converts the ledgers that development versions of this release have folded. There is none
-- of an earlier release, which read another version of the contract: that is why a migration may rewrite a large table here.
-- locks: ledger.checked_log, ledger.cursor, ledger.journal

alter table ledger.journal alter column event_id type integer using substr(event_id, 43, 16)::integer;
alter table ledger.journal rename column event_id to transaction_index;

alter table ledger.cursor alter column event_id type integer using right(event_id, 16)::integer;
alter table ledger.cursor rename column event_id to log_index;

alter table ledger.checked_log drop constraint checked_log_pkey, drop constraint checked_log_event_id_check;
alter table ledger.checked_log alter column event_id type integer using right(event_id, 16)::integer;
alter table ledger.checked_log rename column event_id to log_index;
alter table ledger.checked_log add primary key (indexer_schema, campaign_id, block_number, log_index);
