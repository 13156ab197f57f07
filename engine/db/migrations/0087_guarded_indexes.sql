-- Only the statements that they were made for can use these indexes (`asIndexed` in engine/db/planner.ts). The planner preferred them to
-- those that begin with the campaign, and a batch read the events and the holds of all other campaigns.
-- locks: ledger.journal, ledger.sale
drop index ledger.journal_chain, ledger.sale_due;
create index journal_chain on ledger.journal ((block_number + 0), log_index);
create index sale_due on ledger.sale ((hold_until + 0), sale_id) where state = 'pending';
-- The planner knows nothing about an expression before.
analyze ledger.journal, ledger.sale;
