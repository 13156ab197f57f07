-- Sales whose hold is over and that nobody finalized: what the keeper looks for.
create index sale_due on ledger.sale (hold_until, sale_id) where state = 'pending';
