-- Links, the graph, and discovery of distributors.

-- Counting a node's own sales, a graph level by level, and nodes by the beginning of their owner.
create index sale_node on ledger.sale (campaign_id, node_id, block_number)
  include (state, changed_seq, sale_id) where node_id is not null;
create index node_depth on ledger.node (campaign_id, depth, node_id) include (block_number);
create index node_owner_text on ledger.node (campaign_id, owner collate "C", node_id);

-- What a distributor says of itself. Without a row: pseudonymous, and no handle.
create table commerce.distributor (
  address text primary key check (address ~ '^0x[0-9a-f]{40}$'),
  handle text unique check (handle ~ '^[a-z][a-z0-9-]{2,31}$'),
  display_name text check (length(display_name) <= 100),
  visibility text not null default 'pseudonymous' check (visibility in ('public', 'pseudonymous')),
  updated_at timestamptz not null default now()
);

-- Opens of a link by day (UTC): sums only.
create table commerce.referral_day (
  campaign_id bigint not null,
  node_id bigint not null,
  day date not null,
  opens bigint not null check (opens >= 0),
  visitors bigint not null check (visitors >= 0),
  primary key (campaign_id, node_id, day)
);

-- Who opened it today, as a keyed hash that nobody can reverse or compare between links or days:
-- the key is random, and goes with its rows when the next day begins. No address is ever written.
create table commerce.referral_salt (
  day date primary key,
  salt bytea not null check (length(salt) = 32)
);
create table commerce.referral_visitor (
  day date not null,
  campaign_id bigint not null,
  node_id bigint not null,
  visitor bytea not null check (length(visitor) = 16),
  opens smallint not null,
  primary key (day, campaign_id, node_id, visitor)
);

-- The order discovery-v1 (engine/core/discovery.ts), as of the block in distributor_ranking_state.
-- Made from the ledger, and made again whenever it moved on: no need to back it up.
create table commerce.distributor_ranking (
  address text primary key,
  -- Higher first: the ranked by score, after them the new by when they first joined.
  place bigint not null,
  settled bigint not null,
  direct bigint not null,
  refunded bigint not null,
  reversed bigint not null,
  pending bigint not null,
  merchants bigint not null,
  categories text[] not null,
  last_settled_at bigint,
  links bigint not null,
  first_link_at bigint not null
);
create index distributor_ranking_place on commerce.distributor_ranking (place desc, address);
create index distributor_ranking_category on commerce.distributor_ranking using gin (categories);
create table commerce.distributor_ranking_state (
  singleton boolean primary key default true check (singleton),
  block_number bigint not null,
  block_hash text not null,
  -- Unix seconds.
  block_timestamp bigint not null,
  computed_at timestamptz not null,
  -- How long it took: the longer, the less often it is made.
  duration_ms integer not null
);
