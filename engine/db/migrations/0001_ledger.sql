-- The ledger: what settlement folded out of the facts (docs/how-it-works/ledger.md).
-- Amounts are base units, numeric(78,0); times are unix seconds; ids are the contract's counters.
-- `seq` is an event's place among its campaign's events, from 1: journal pairs it with event_id.
-- Rolling back to a seq is deleting the rows above it and restoring the current rows from below.

create schema ledger;

-- Which chain and contract this ledger belongs to. It refuses any other (docs/how-it-works/architecture.md#where-data-lives).
create table ledger.deployment (
  singleton boolean primary key default true check (singleton),
  chain_id bigint not null,
  genesis_hash text not null,
  contract_address text not null,
  created_at timestamptz not null default now()
);

-- Heads as the feeder last saw them. Reads are as of the settled block.
create table ledger.head (
  singleton boolean primary key default true check (singleton),
  indexer_schema text not null,
  indexer_ready boolean not null default false,
  chain_number bigint,
  chain_timestamp bigint,
  indexed_number bigint,
  settled_number bigint,
  settled_hash text,
  settled_timestamp bigint,
  safe_number bigint,
  finalized_number bigint,
  updated_at timestamptz not null default now()
);

-- How far each campaign was folded. A worker locks this row for the time of a batch.
create table ledger.cursor (
  campaign_id bigint primary key,
  seq bigint not null default 0,
  event_id text,
  block_number bigint,
  block_hash text,
  digest text not null,
  -- Holds that ended, and policies that took effect, at or before this time are in the rows.
  clock bigint not null default 0,
  -- When the next hold ends or policy takes effect; null where nothing waits.
  clock_next bigint,
  -- Since when the fact at the cursor is missing from a ready indexer.
  missing_since timestamptz,
  stopped_at timestamptz,
  stopped_reason text,
  check ((seq = 0) = (event_id is null))
);
create index cursor_unfinalized on ledger.cursor (block_number);
create index cursor_clock_next on ledger.cursor (clock_next) where clock_next is not null;
create index cursor_clock on ledger.cursor (clock);
create index cursor_stopped on ledger.cursor (stopped_at) where stopped_at is not null;

-- One row for each event folded: where it stands on the chain, its digest, and the campaign's
-- standing after it.
create table ledger.journal (
  campaign_id bigint not null,
  seq bigint not null,
  event_id text not null,
  block_number bigint not null,
  block_hash text not null,
  block_timestamp bigint not null,
  transaction_hash text not null,
  log_index integer not null,
  name text not null,
  sale_id bigint,
  args jsonb not null,
  digest text not null,
  funded boolean not null,
  paused boolean not null,
  ended boolean not null,
  price numeric(78, 0) not null,
  node_capacity bigint not null,
  sale_capacity bigint not null,
  net_deposited numeric(78, 0) not null,
  available numeric(78, 0) not null,
  pending_reserved numeric(78, 0) not null,
  vested_unclaimed numeric(78, 0) not null,
  rewards_claimed numeric(78, 0) not null,
  surplus_withdrawn numeric(78, 0) not null,
  proceeds_pending numeric(78, 0) not null,
  proceeds_claimable numeric(78, 0) not null,
  proceeds_claimed numeric(78, 0) not null,
  buyer_refunded numeric(78, 0) not null,
  pending_count bigint not null,
  finalized_count bigint not null,
  refunded_count bigint not null,
  reversed_count bigint not null,
  node_count bigint not null,
  primary key (campaign_id, seq)
);
create index journal_sale on ledger.journal (campaign_id, sale_id, seq) where sale_id is not null;
create index journal_block on ledger.journal (campaign_id, block_number, seq);
create index journal_name on ledger.journal (campaign_id, name, seq)
  where name in ('CampaignFunded', 'SurplusWithdrawn', 'RewardsClaimed', 'ProceedsClaimed');

-- A campaign: what it was created with, and its newest standing and policy.
create table ledger.campaign (
  campaign_id bigint primary key,
  merchant text not null,
  token text not null,
  token_decimals smallint not null,
  token_symbol text not null,
  token_name text not null,
  sku_hash text not null,
  metadata_hash text not null,
  starts_at bigint not null,
  ends_at bigint not null,
  trust_mode text not null,
  invite_only boolean not null,
  created_block bigint not null,
  created_timestamp bigint not null,
  created_transaction text not null,
  -- The newest standing, as in the newest row of journal.
  funded boolean not null,
  paused boolean not null,
  ended boolean not null,
  price numeric(78, 0) not null,
  node_capacity bigint not null,
  sale_capacity bigint not null,
  net_deposited numeric(78, 0) not null,
  available numeric(78, 0) not null,
  pending_reserved numeric(78, 0) not null,
  vested_unclaimed numeric(78, 0) not null,
  rewards_claimed numeric(78, 0) not null,
  surplus_withdrawn numeric(78, 0) not null,
  proceeds_pending numeric(78, 0) not null,
  proceeds_claimable numeric(78, 0) not null,
  proceeds_claimed numeric(78, 0) not null,
  buyer_refunded numeric(78, 0) not null,
  pending_count bigint not null,
  finalized_count bigint not null,
  refunded_count bigint not null,
  reversed_count bigint not null,
  node_count bigint not null,
  -- The policy in effect at the cursor's clock (null before the first).
  policy_version integer,
  commission_bps integer,
  max_rewarded_ancestors smallint,
  hold_seconds integer,
  policy_expiry bigint,
  -- Order of the balanced sort, higher first; the pure function is engine/core/ranking.ts.
  rank_score bigint not null default 0,
  indexed_at timestamptz not null default now()
);
create index campaign_merchant on ledger.campaign (merchant, campaign_id);
create index campaign_metadata on ledger.campaign (metadata_hash);
create index campaign_sku on ledger.campaign (merchant, sku_hash);
create index campaign_balanced on ledger.campaign (rank_score desc, campaign_id desc);
create index campaign_reward on ledger.campaign (commission_bps desc nulls last, campaign_id desc);
create index campaign_budget on ledger.campaign (available desc, campaign_id desc);
create index campaign_hold on ledger.campaign (hold_seconds asc nulls last, campaign_id desc);
create index campaign_token on ledger.campaign (token);
create index campaign_symbol on ledger.campaign (lower(token_symbol) text_pattern_ops);
-- All that lists filter, sort and count by, so that counting never reads the table itself.
create index campaign_filter on ledger.campaign (campaign_id) include (
  merchant, sku_hash, trust_mode, invite_only, starts_at, ends_at, created_block, funded, paused,
  ended, available, policy_version, commission_bps, max_rewarded_ancestors, hold_seconds,
  policy_expiry, rank_score
);

create table ledger.policy (
  campaign_id bigint not null,
  version integer not null,
  seq bigint not null,
  effective_at bigint not null,
  reward_token text not null,
  commission_bps integer not null,
  per_sale_cap numeric(78, 0) not null,
  campaign_liability_cap numeric(78, 0) not null,
  max_rewarded_ancestors smallint not null,
  weights_bps integer[] not null,
  short_path_mode text not null,
  hold_seconds integer not null,
  expiry bigint not null,
  regions text[] not null,
  sharing_rules text[] not null,
  eligibility_hash text not null,
  policy_hash text not null,
  primary key (campaign_id, version)
);

-- Versions of a SKU's price.
create table ledger.price (
  campaign_id bigint not null,
  sku_hash text not null,
  seq bigint not null,
  price numeric(78, 0) not null,
  primary key (campaign_id, sku_hash, seq)
);

-- Versions of the allow-lists.
create table ledger.permission (
  campaign_id bigint not null,
  role text not null check (role in ('distributor', 'attester')),
  account text not null,
  seq bigint not null,
  allowed boolean not null,
  primary key (campaign_id, role, account, seq)
);

create table ledger.node (
  campaign_id bigint not null,
  node_id bigint not null,
  seq bigint not null,
  parent_node_id bigint,
  owner text not null,
  depth integer not null,
  block_number bigint not null,
  block_timestamp bigint not null,
  transaction_hash text not null,
  primary key (campaign_id, node_id)
);
create index node_id on ledger.node (node_id);
create index node_seq on ledger.node (campaign_id, seq);
create index node_children on ledger.node (campaign_id, parent_node_id, node_id);
create index node_owner on ledger.node (owner, campaign_id, node_id);

create table ledger.sale (
  campaign_id bigint not null,
  sale_id bigint not null,
  seq bigint not null,
  buyer text not null,
  node_id bigint,
  amount numeric(78, 0) not null,
  pool numeric(78, 0) not null,
  policy_version integer not null,
  hold_until bigint not null,
  order_key text not null,
  sku_hash text not null,
  block_number bigint not null,
  block_timestamp bigint not null,
  transaction_hash text not null,
  -- The newest of its versions.
  state text not null,
  refunded_total numeric(78, 0) not null,
  finalized_at bigint,
  changed_seq bigint not null,
  primary key (campaign_id, sale_id)
);
create index sale_id on ledger.sale (sale_id);
create index sale_buyer on ledger.sale (buyer, sale_id);
create index sale_changed on ledger.sale (campaign_id, changed_seq);
create index sale_policy on ledger.sale (campaign_id, policy_version, block_number);

-- Versions of a sale: one when it is recorded, one at each refund, finalization and reversal.
create table ledger.sale_version (
  campaign_id bigint not null,
  sale_id bigint not null,
  seq bigint not null,
  state text not null,
  refunded_total numeric(78, 0) not null,
  finalized_at bigint,
  primary key (campaign_id, sale_id, seq)
);

-- What each level of a sale's path got, and what became of it. As of a past block: its entries.
create table ledger.sale_level (
  campaign_id bigint not null,
  sale_id bigint not null,
  level smallint not null,
  node_id bigint not null,
  recipient text not null,
  hold_until bigint not null,
  share numeric(78, 0) not null,
  reserved numeric(78, 0) not null,
  released numeric(78, 0) not null,
  vested numeric(78, 0) not null,
  reversed numeric(78, 0) not null,
  vested_seq bigint,
  primary key (campaign_id, sale_id, level)
);
create index sale_level_held on ledger.sale_level (campaign_id, hold_until) where reserved <> 0;
create index sale_level_recipient on ledger.sale_level (recipient, campaign_id, sale_id);

create table ledger.attestation (
  campaign_id bigint not null,
  sale_id bigint not null,
  seq bigint not null,
  signer text not null,
  nonce numeric(78, 0) not null,
  primary key (campaign_id, sale_id)
);

-- Movements of accounts' money, with the balances after each. Append-only.
create table ledger.entry (
  campaign_id bigint not null,
  seq bigint not null,
  ordinal smallint not null,
  block_number bigint not null,
  kind text not null,
  account text not null,
  sale_id bigint,
  level smallint,
  node_id bigint,
  amount numeric(78, 0) not null,
  reserved_after numeric(78, 0) not null,
  claimable_after numeric(78, 0) not null,
  claimed_after numeric(78, 0) not null,
  refunded_after numeric(78, 0) not null,
  reversed_after numeric(78, 0) not null,
  -- What the level still held after it; null where the entry is of no known level.
  held_after numeric(78, 0),
  primary key (campaign_id, seq, ordinal)
);
create index entry_account on ledger.entry (campaign_id, account, seq, ordinal);
create index entry_sale on ledger.entry (campaign_id, sale_id, level, seq) where sale_id is not null;

-- What an account has in a campaign: the sum of its entries, with the reserve told apart by
-- whether its hold was over at the cursor's clock.
create table ledger.bucket (
  campaign_id bigint not null,
  account text not null,
  at_risk numeric(78, 0) not null,
  ready_to_finalize numeric(78, 0) not null,
  claimable numeric(78, 0) not null,
  claimed numeric(78, 0) not null,
  refunded numeric(78, 0) not null,
  reversed numeric(78, 0) not null,
  last_claim_seq bigint,
  primary key (campaign_id, account)
);
create index bucket_account on ledger.bucket (account, campaign_id);

-- What the caps cost each level of a sale, and why.
create table ledger.missed_reward (
  campaign_id bigint not null,
  sale_id bigint not null,
  level smallint not null,
  reason text not null,
  seq bigint not null,
  node_id bigint not null,
  recipient text not null,
  amount numeric(78, 0) not null,
  primary key (campaign_id, sale_id, level, reason)
);
create index missed_reward_recipient on ledger.missed_reward (recipient, campaign_id, sale_id);

-- What settlement computed and the chain said otherwise. Healthy ledgers have none.
create table ledger.discrepancy (
  campaign_id bigint not null,
  seq bigint not null,
  ordinal smallint not null,
  kind text not null,
  sale_id bigint,
  level smallint,
  account text,
  expected text not null,
  actual text not null,
  primary key (campaign_id, seq, ordinal)
);
