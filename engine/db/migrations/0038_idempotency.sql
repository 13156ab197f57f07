-- Writes that a client named by an Idempotency-Key, and what they answered: a repeated request gets the
-- same answer and does nothing again. Kept for a day.
create table commerce.idempotency_key (
  account text not null check (account ~ '^0x[0-9a-f]{40}$'),
  key text not null check (length(key) between 1 and 200),
  request_hash bytea not null check (octet_length(request_hash) = 32),
  started_at timestamptz not null,
  -- Set by the transaction that stored what the request asked for.
  is_stored boolean not null default false,
  -- The answer; null while the request runs, and if its process ended before it answered.
  data text,
  meta jsonb,
  primary key (account, key)
);
create index idempotency_key_age on commerce.idempotency_key (started_at);
