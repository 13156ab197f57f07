-- A list of all sales is in the order of the id and then of the campaign, and each page was sorted for it. The key has to be the youngest
-- index that has the whole of it (0020_youngest_keys.sql).
-- locks: ledger.sale
drop index ledger.sale_id;
create index sale_id on ledger.sale (sale_id, campaign_id);
alter table ledger.sale drop constraint sale_pkey, add primary key (campaign_id, sale_id);
