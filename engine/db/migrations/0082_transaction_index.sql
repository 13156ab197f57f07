-- Transactions are found by `journal_transaction_start` since 0081_search_and_sort.sql.
-- locks: ledger.journal, ledger.sale
drop index ledger.journal_transaction;
-- The key by which settlement looks sales up stays the youngest: see 0020_youngest_keys.sql.
alter table ledger.sale drop constraint sale_pkey, add primary key (campaign_id, sale_id);
-- The planner needs to know how many events a transaction has.
analyze ledger.journal;
