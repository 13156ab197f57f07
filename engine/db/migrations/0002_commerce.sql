-- Commerce: what people typed (docs/how-it-works/architecture.md#where-data-lives). Nothing rebuilds it: back it up.
-- A campaign of the ledger is linked to its product by (merchant's address, SKU hash).

create schema commerce;

create table commerce.merchant (
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  address text not null unique check (address ~ '^0x[0-9a-f]{40}$'),
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  words tsvector generated always as (to_tsvector('simple', name || ' ' || slug)) stored
);
create index merchant_words on commerce.merchant using gin (words);

-- «Extended product» of the specification. Prices are base units of the campaign's token.
create table commerce.product (
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  merchant_id text not null references commerce.merchant,
  sku_hash text not null check (sku_hash ~ '^0x[0-9a-f]{64}$'),
  title text not null,
  summary text not null,
  outcome text not null,
  description text not null,
  category text not null,
  refund_policy text not null,
  fulfillment_mode text not null check (fulfillment_mode in ('download', 'external', 'manual')),
  -- What a buyer gets access to: never in a public answer.
  deliverable text check (length(deliverable) between 1 and 2048),
  access_timing text check (access_timing in ('afterPurchase', 'afterHold')),
  price numeric(78, 0) not null check (price >= 0),
  media jsonb not null default '[]',
  cover_url text,
  cover_alt text,
  variants jsonb not null default '[]',
  billing_period text check (billing_period in ('monthly', 'yearly')),
  status text not null default 'ready' check (status in ('draft', 'ready', 'archived')),
  version integer not null default 1 check (version >= 1),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  words tsvector generated always as (to_tsvector('simple', title || ' ' || summary)) stored,
  unique (merchant_id, sku_hash)
);
create index product_category on commerce.product (category);
create index product_words on commerce.product using gin (words);

-- Campaigns that an operator took out of lists, or put back.
create table commerce.moderation (
  campaign_id bigint primary key,
  hidden boolean not null,
  reason text,
  updated_at timestamptz not null default now()
);
