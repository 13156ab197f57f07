-- Orders that buyers signed, and the transactions by which the relayer sends them (docs/operate/run.md#relayer).
-- locks: commerce.campaign_settings
create table commerce.signed_order (
  intent_id text primary key,
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  campaign_id bigint not null,
  buyer text not null check (buyer ~ '^0x[0-9a-f]{40}$'),
  order_key text not null check (order_key ~ '^0x[0-9a-f]{64}$'),
  payment text not null check (payment in ('allowance', 'permit', 'authorization')),
  -- The call of `buyFor`, with the signatures.
  data text not null check (data ~ '^0x([0-9a-f]{2})+$' and length(data) <= 50000),
  -- Last second at which a block can record it, unix seconds.
  deadline bigint not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'sent', 'recorded', 'refused', 'expired')),
  -- One of our own reasons, or an error of the contract.
  reason text check (length(reason) <= 500),
  -- Newest block when its sale was first seen.
  recorded_block bigint,
  -- When the relayer last examined it; null for a new one.
  tried_at timestamptz,
  -- Since when nothing about it changes any more.
  closed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((state = 'refused') = (reason is not null)),
  check ((state = 'recorded') = (recorded_block is not null))
);
create index signed_order_open on commerce.signed_order (tried_at nulls first, created_at)
  where closed_at is null;
create index signed_order_buyer on commerce.signed_order (buyer);

-- Stored before they are sent, so that a crash in between sends the same one again.
create table commerce.relayed_transaction (
  hash text primary key check (hash ~ '^0x[0-9a-f]{64}$'),
  -- Null once the order is deleted: the costs of a day stay.
  intent_id text references commerce.signed_order on delete set null,
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  sender text not null check (sender ~ '^0x[0-9a-f]{40}$'),
  nonce bigint not null check (nonce >= 0),
  -- 1 for the first one of its nonce; each later one pays a higher fee.
  attempt integer not null check (attempt > 0),
  -- Null once it can no longer disappear.
  signed text check (signed ~ '^0x([0-9a-f]{2})+$'),
  gas bigint not null,
  -- Wei for a unit of gas.
  max_fee numeric(78, 0) not null,
  priority_fee numeric(78, 0) not null,
  status text not null default 'pending'
    check (status in ('pending', 'included', 'reverted', 'replaced', 'dropped')),
  -- Wei, by its receipt; null before.
  cost numeric(78, 0),
  sent_at timestamptz not null,
  check ((status = 'pending') = (cost is null))
);
-- After a transaction was dropped, its nonce can be used again.
create unique index relayed_transaction_attempt
  on commerce.relayed_transaction (sender, nonce, attempt) where status <> 'dropped';
create index relayed_transaction_pending on commerce.relayed_transaction (sender, nonce)
  where status = 'pending';
create index relayed_transaction_day on commerce.relayed_transaction (sent_at);
create index relayed_transaction_intent on commerce.relayed_transaction (intent_id);

-- The relayer's last report of itself, by its account.
create table commerce.relayer (
  address text primary key check (address ~ '^0x[0-9a-f]{40}$'),
  seen_at timestamptz not null,
  balance numeric(78, 0) not null,
  fee_per_gas numeric(78, 0) not null,
  max_fee_per_gas numeric(78, 0) not null,
  max_gas bigint not null,
  merchant_budget numeric(78, 0) not null,
  total_budget numeric(78, 0) not null
);

-- What the relayer may spend on a day for a merchant, wei, where that is not the default.
create table commerce.gas_budget (
  merchant text primary key check (merchant ~ '^0x[0-9a-f]{40}$'),
  daily numeric(78, 0) not null check (daily >= 0)
);

-- Whether the merchant lets buyers of the campaign pay with one signature.
alter table commerce.campaign_settings add column one_signature boolean not null default false;
