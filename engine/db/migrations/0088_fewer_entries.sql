-- A sale of five levels takes six entries less. An account's conversions over all its campaigns are read campaign by campaign, by
-- `sale_level_recipient`. Recordings are found by their sales.
-- locks: ledger.sale_level, ledger.journal
drop index ledger.sale_level_newest, ledger.journal_moved;
create index journal_moved on ledger.journal (campaign_id, name, seq)
  where name in ('RewardReleased', 'SaleRefunded', 'RewardVested', 'SaleFinalized', 'RewardReversed');
