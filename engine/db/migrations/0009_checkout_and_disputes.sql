-- The buyer's side: requests for a refund, and the intents that hold a purchase together.
-- Both name their sale by (campaign, buyer, order key), which the contract lets be used once: a reorg
-- may give the sale another id, and the order stays the same.

create index sale_order on ledger.sale (buyer, order_key, campaign_id);

-- `refunded` and `expired` are not kept: engine/core/dispute.ts derives them from the sale.
create table commerce.dispute (
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  campaign_id bigint not null,
  buyer text not null check (buyer ~ '^0x[0-9a-f]{40}$'),
  order_key text not null check (order_key ~ '^0x[0-9a-f]{64}$'),
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  -- When the hold of the sale ends, as of the opening, unix seconds: the order of lists.
  hold_until bigint not null,
  reason text not null
    check (reason in ('not_received', 'not_as_described', 'charged_in_error', 'other')),
  -- Base units; what the chain gave back since `refunded_before` counts toward it.
  requested_amount numeric(78, 0) not null check (requested_amount > 0),
  -- The sale's refunded total at the opening, base units.
  refunded_before numeric(78, 0) not null check (refunded_before >= 0),
  -- What the merchant said last.
  answer text not null default 'open' check (answer in ('open', 'accepted', 'declined')),
  accepted_amount numeric(78, 0) check (accepted_amount > 0),
  decline_reason text check (length(decline_reason) between 1 and 500),
  opened_at timestamptz not null,
  updated_at timestamptz not null,
  unique (buyer, order_key, campaign_id),
  check ((answer = 'accepted') = (accepted_amount is not null)),
  check ((answer = 'declined') = (decline_reason is not null))
);
create index dispute_merchant on commerce.dispute (merchant, hold_until, id);
create index dispute_campaign on commerce.dispute (campaign_id, answer);

create table commerce.dispute_message (
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  dispute_id text not null references commerce.dispute,
  author text not null check (author in ('buyer', 'merchant')),
  body text not null check (length(body) between 1 and 2000),
  sent_at timestamptz not null
);
create index dispute_message_dispute on commerce.dispute_message (dispute_id, sent_at, id);

create table commerce.checkout_intent (
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  buyer text not null check (buyer ~ '^0x[0-9a-f]{40}$'),
  -- The idempotency key, and the order's name on the chain.
  order_key text not null check (order_key ~ '^0x[0-9a-f]{64}$'),
  -- sha-256 of what was asked for: the same key for anything else is refused.
  request_hash bytea not null check (length(request_hash) = 32),
  campaign_id bigint not null,
  node_id bigint,
  sku_hash text not null check (sku_hash ~ '^0x[0-9a-f]{64}$'),
  -- { address, symbol, decimals, name }
  token jsonb not null,
  -- Base units: `buy` takes no more.
  amount numeric(78, 0) not null check (amount >= 0),
  min_policy_version bigint not null check (min_policy_version >= 1),
  -- As it was last reconciled; engine/core/checkout.ts decides it.
  state text not null default 'created'
    check (state in ('created', 'submitted', 'confirmed', 'failed', 'expired')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz not null,
  unique (buyer, order_key)
);
create index checkout_intent_campaign on commerce.checkout_intent (campaign_id, created_at);

-- Transactions that the buyer said were sent, and what the chain said of them last.
create table commerce.checkout_transaction (
  intent_id text not null references commerce.checkout_intent,
  hash text not null check (hash ~ '^0x[0-9a-f]{64}$'),
  -- Who sent it under which nonce: known once the chain was seen to have it.
  sender text check (sender ~ '^0x[0-9a-f]{40}$'),
  nonce bigint check (nonce >= 0),
  status text not null default 'pending'
    check (status in ('pending', 'included', 'reverted', 'replaced', 'dropped')),
  attached_at timestamptz not null,
  primary key (intent_id, hash),
  check ((sender is null) = (nonce is null))
);
