-- The merchant's own side: uploaded files, versions of products, policies to start from, invoices.

-- A file that a merchant uploaded: the bytes lie in the storage under `key`, and this row is written
-- after them and taken away before them, so that no row ever names a file that is not there.
create table commerce.asset (
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  merchant_id text not null references commerce.merchant,
  -- null: the merchant's logo.
  product_id text references commerce.product,
  -- Only an image is public.
  kind text not null check (kind in ('image', 'download')),
  key text not null unique check (length(key) between 1 and 200),
  -- Bytes.
  size bigint not null check (size >= 1),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  -- As the content shows, and the ending of a file of that type.
  content_type text not null check (length(content_type) between 3 and 100),
  extension text not null check (extension ~ '^[a-z0-9.]{1,16}$'),
  -- Pixels.
  width integer check (width >= 1),
  height integer check (height >= 1),
  created_at timestamptz not null default now(),
  check ((kind = 'image') = (width is not null)),
  check ((width is null) = (height is null)),
  check (product_id is not null or kind = 'image')
);
create index asset_product on commerce.asset (product_id, created_at);
-- Also the bytes of a merchant, added up.
create index asset_merchant on commerce.asset (merchant_id, product_id) include (size);

-- Every version of a product, so that the one that a campaign was made with can be told.
create table commerce.product_version (
  product_id text not null references commerce.product,
  version integer not null check (version >= 1),
  -- The columns of commerce.product.
  body jsonb not null,
  saved_at timestamptz not null,
  primary key (product_id, version)
);
insert into commerce.product_version (product_id, version, body, saved_at)
select id, version, to_jsonb(product) - 'words', updated_at from commerce.product product;

create index product_merchant on commerce.product (merchant_id, updated_at desc, id desc);

-- Policies that a merchant keeps to start from; the built-in ones are code.
create table commerce.policy_template (
  merchant_id text not null references commerce.merchant,
  id text not null check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  name text not null check (length(name) between 1 and 100),
  policy jsonb not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);

-- What the service charged a merchant. It charges nothing, so it writes none; the table is there for
-- whoever runs it with a fee.
create table commerce.invoice (
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  merchant_id text not null references commerce.merchant,
  period_from timestamptz not null,
  period_to timestamptz not null check (period_to > period_from),
  amount numeric(78, 18) not null check (amount >= 0),
  currency text not null check (length(currency) between 1 and 64),
  status text not null check (status in ('draft', 'issued', 'paid', 'void')),
  url text
);
create index invoice_merchant on commerce.invoice (merchant_id, period_from desc, id desc);
