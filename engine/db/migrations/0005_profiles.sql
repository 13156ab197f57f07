-- What a merchant says of itself beyond its name, and the token that a product is priced in where no
-- campaign says so yet.

alter table commerce.merchant
  add column description text not null default '',
  add column website_url text,
  add column support_email text,
  -- A media item, as in product.media.
  add column logo jsonb,
  add column closed_at timestamptz;

-- { address, symbol, decimals, name? }
alter table commerce.product add column token jsonb;
