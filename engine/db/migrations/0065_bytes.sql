-- Hashes and addresses in the tables that grow with sales, nodes and accounts: `bytea` instead of text `0x…`, which takes twice as many
-- bytes, in rows and in indexes. Small tables keep text. Each table is rewritten, with its indexes, and its readers and writers wait.
-- There is no ledger of an earlier release, which read another version of the contract: that is why a migration may change all rows
-- here. Programs of a development version must be stopped, because they would compare bytes with text.
-- locks: ledger.account_sum, ledger.bucket, ledger.entry, ledger.journal, ledger.merchant_partner, ledger.missed_reward, ledger.node, ledger.retracted_sale, ledger.sale, ledger.sale_level

-- A hash or address `0x…` as bytes; null for null.
create function ledger.bytes_of(hex text) returns bytea language sql immutable strict parallel safe
  return decode(substr(hex, 3), 'hex');

drop view ledger.sale_account;
-- By an address in the order of its text, which is that of its bytes: `node_owner_in_campaign`.
drop index ledger.node_owner_text;

alter table ledger.journal
  alter column block_hash type bytea using ledger.bytes_of(block_hash),
  alter column transaction_hash type bytea using ledger.bytes_of(transaction_hash),
  alter column digest type bytea using ledger.bytes_of(digest),
  add constraint journal_bytes check (
    octet_length(block_hash) = 32 and octet_length(transaction_hash) = 32 and octet_length(digest) = 32
  );
alter table ledger.entry
  alter column account type bytea using ledger.bytes_of(account),
  add constraint entry_bytes check (octet_length(account) = 20);
alter table ledger.missed_reward
  alter column recipient type bytea using ledger.bytes_of(recipient),
  add constraint missed_reward_bytes check (octet_length(recipient) = 20);
alter table ledger.node
  alter column owner type bytea using ledger.bytes_of(owner),
  alter column transaction_hash type bytea using ledger.bytes_of(transaction_hash),
  add constraint node_bytes check (octet_length(owner) = 20 and octet_length(transaction_hash) = 32);
alter table ledger.sale
  alter column buyer type bytea using ledger.bytes_of(buyer),
  alter column order_key type bytea using ledger.bytes_of(order_key),
  alter column sku_hash type bytea using ledger.bytes_of(sku_hash),
  alter column transaction_hash type bytea using ledger.bytes_of(transaction_hash),
  alter column calldata_end type bytea using ledger.bytes_of(calldata_end),
  add constraint sale_bytes check (
    octet_length(buyer) = 20 and octet_length(order_key) = 32 and octet_length(sku_hash) = 32
    and octet_length(transaction_hash) = 32
  );
-- Its rows are copies of sales.
alter table ledger.retracted_sale
  alter column buyer type bytea using ledger.bytes_of(buyer),
  alter column order_key type bytea using ledger.bytes_of(order_key),
  alter column sku_hash type bytea using ledger.bytes_of(sku_hash),
  add constraint retracted_sale_bytes check (
    octet_length(buyer) = 20 and octet_length(order_key) = 32 and octet_length(sku_hash) = 32
  );
alter table ledger.sale_level
  alter column recipient type bytea using ledger.bytes_of(recipient),
  add constraint sale_level_bytes check (octet_length(recipient) = 20);
alter table ledger.bucket
  alter column account type bytea using ledger.bytes_of(account),
  add constraint bucket_bytes check (octet_length(account) = 20);
alter table ledger.account_sum
  alter column account type bytea using ledger.bytes_of(account),
  add constraint account_sum_bytes check (octet_length(account) = 20);
alter table ledger.merchant_partner
  alter column account type bytea using ledger.bytes_of(account),
  add constraint merchant_partner_bytes check (octet_length(account) = 20);

create index node_owner_in_campaign on ledger.node (campaign_id, owner, node_id);

create view ledger.sale_account as
select sale.campaign_id, sale.sale_id, paid.account,
  (paid.nearest = 1)::int as direct, (paid.nearest > 1)::int as network,
  (paid.nearest = 1 and sale.state = 'finalized')::int as direct_settled,
  (paid.nearest > 1 and sale.state = 'finalized')::int as network_settled,
  case when sale.state = 'finalized' then sale.amount - sale.refunded_total else 0 end
    as settled_value,
  (whose.ranked and sale.state = 'pending')::int as ranked_pending,
  (whose.ranked and sale.state = 'finalized' and paid.nearest = 1)::int as ranked_direct,
  (whose.ranked and sale.state = 'finalized' and paid.nearest > 1)::int as ranked_network,
  (whose.ranked and sale.state = 'refunded')::int as ranked_refunded,
  (whose.ranked and sale.state = 'reversed')::int as ranked_reversed,
  case when whose.ranked and sale.state = 'finalized' then sale.amount - sale.refunded_total
    else 0 end as ranked_value,
  case when whose.ranked and sale.state = 'finalized' then sale.finalized_at end
    as last_settled_at,
  whose.ranked
from ledger.sale
join ledger.campaign on campaign.campaign_id = sale.campaign_id
-- Grouped inside, so that the levels of each sale are looked up by its key, whatever was known of the
-- tables when settlement's statements were planned.
cross join lateral (
  select level.recipient as account, min(level.level) as nearest,
    bool_or(bool_or(level.recipient = sale.buyer)) over () as bought
  from ledger.sale_level level
  where level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
  group by level.recipient
) paid
cross join lateral (
  select sale.buyer <> ledger.bytes_of(campaign.merchant) and not paid.bought as ranked
) whose;

-- The keys by which settlement looks rows up stay the youngest: see 0020_youngest_keys.sql.
alter table ledger.sale drop constraint sale_pkey, add primary key (campaign_id, sale_id);
alter table ledger.journal drop constraint journal_pkey, add primary key (campaign_id, seq);
alter table ledger.entry drop constraint entry_pkey, add primary key (campaign_id, seq, ordinal);
alter table ledger.sale_level
  drop constraint sale_level_pkey, add primary key (campaign_id, sale_id, level);
alter table ledger.node drop constraint node_pkey, add primary key (campaign_id, node_id);
alter table ledger.bucket drop constraint bucket_pkey, add primary key (campaign_id, account);
alter table ledger.account_sum drop constraint account_sum_pkey, add primary key (campaign_id, account);
drop index ledger.sale_level_recipient;
create index sale_level_recipient on ledger.sale_level (recipient, campaign_id, sale_id);
