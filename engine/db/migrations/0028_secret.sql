-- The secrets that the keys of the API are derived from, if the environment names none. The newest
-- one signs; the one before it is still accepted for a while, so that a change breaks no link.
create table commerce.secret (
  id bigint generated always as identity primary key,
  value bytea not null check (octet_length(value) = 32),
  created_at timestamptz not null default now()
);

-- Whose SKU a hash is: asked before a product takes it.
create index product_sku on commerce.product (sku_hash);
