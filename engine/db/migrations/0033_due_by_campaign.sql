-- Sales of one campaign whose hold is over and that nobody finalized: what its merchant can finalize.
create index sale_due_in_campaign on ledger.sale (campaign_id, hold_until, sale_id)
  where state = 'pending';
