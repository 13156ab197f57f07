-- Sign-in (docs/reference/api.md). Nothing here is a secret that works: tokens are kept as hashes only.

create table commerce.session (
  -- The public handle, by which its owner lists and ends it.
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  -- sha-256 of the cookie's value.
  token_hash bytea not null unique check (length(token_hash) = 32),
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  user_agent text check (length(user_agent) <= 200),
  created_at timestamptz not null,
  -- Kept to the minute: a read costs no write.
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index session_address on commerce.session (address, created_at desc, id);
create index session_expires on commerce.session (expires_at);

-- A ring: the newest nonces, each in the place of the one that was issued 65,536 before it. So their
-- number is bounded, a flood pushes out the oldest first, and nothing needs sweeping.
create sequence commerce.sign_in_nonce_slot minvalue 0 maxvalue 65535 cycle;
create table commerce.sign_in_nonce (
  slot integer primary key check (slot between 0 and 65535),
  nonce text not null unique check (nonce ~ '^[A-Za-z0-9]{8,128}$'),
  expires_at timestamptz not null
);

-- Counters of the rate limits, as rate-limiter-flexible wants them; lost ones cost nothing.
create unlogged table commerce.rate_limit (
  key varchar(255) primary key,
  points integer not null default 0,
  -- Unix milliseconds.
  expire bigint
);
