-- An account's levels over all campaigns, newest sale first. The contract counts the sales of all campaigns together, so the sale's id
-- alone orders them: campaign and level made each entry of the index 16 bytes longer and ordered nothing.
-- locks: ledger.sale_level
drop index ledger.sale_level_newest;
create index sale_level_newest on ledger.sale_level (recipient, sale_id);

-- The keys by which settlement looks rows up stay the youngest: see 0020_youngest_keys.sql.
alter table ledger.sale_level
  drop constraint sale_level_pkey, add primary key (campaign_id, sale_id, level);
drop index ledger.sale_level_recipient;
create index sale_level_recipient on ledger.sale_level (recipient, campaign_id, sale_id);
