-- Transactions are found by `journal_transaction_start` since 0081_search_and_sort.sql.
-- locks: ledger.journal
drop index ledger.journal_transaction;
-- The planner needs to know how many events a transaction has.
analyze ledger.journal;
