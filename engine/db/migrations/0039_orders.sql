-- Orders of a merchant, to find and to follow (docs/reference/api.md, "Orders").

-- Sales whose events a rollback removed. A rollback writes them without a sequence. The publisher of changes
-- gives those that were published the sequence of their retraction, and deletes the others. The columns of the sale
-- are those before the rollback, because its row may be gone.
create table ledger.retracted_sale (
  campaign_id bigint not null,
  sale_id bigint not null,
  -- The change that published it; null until then.
  sequence bigint,
  -- The first event of the sale that was removed.
  first_seq bigint not null,
  merchant text not null,
  buyer text not null,
  order_key text not null,
  node_id bigint,
  sku_hash text not null
);
create unique index retracted_sale_key on ledger.retracted_sale (campaign_id, sale_id, sequence)
  nulls not distinct;
create index retracted_sale_sequence on ledger.retracted_sale (sequence);
create index retracted_sale_merchant on ledger.retracted_sale (merchant, sequence, sale_id);

-- Changes of one campaign in their order.
create index change_campaign on ledger.change (campaign_id, sequence);

-- Orders by their key alone. All other reads name buyer and campaign as well, so the order does not matter to them.
drop index ledger.sale_order;
create index sale_order on ledger.sale (order_key, buyer, campaign_id);
create index checkout_intent_order on commerce.checkout_intent (order_key);

-- The key by which settlement looks sales up must be the youngest index: see 0020_youngest_keys.sql.
alter table ledger.sale drop constraint sale_pkey, add primary key (campaign_id, sale_id);
