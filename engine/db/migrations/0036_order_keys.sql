-- Sales by their order key, which is what a shop's own order has (receipts.forMerchant, search.find).
create index sale_order_key on ledger.sale using hash (order_key);
-- The key by which settlement looks sales up must be the youngest index: see 0020_youngest_keys.sql.
alter table ledger.sale drop constraint sale_pkey, add primary key (campaign_id, sale_id);
