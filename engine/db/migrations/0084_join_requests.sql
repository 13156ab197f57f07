-- Requests of accounts to join campaigns that are by invitation. Accounts are in lower case.
-- locks: none
create table commerce.join_request (
  -- The order of lists.
  number bigint generated always as identity primary key,
  id text not null unique check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  campaign_id bigint not null,
  -- A reorg can give the id to another campaign.
  terms_hash text not null check (terms_hash ~ '^0x[0-9a-f]{64}$'),
  distributor text not null check (distributor ~ '^0x[0-9a-f]{40}$'),
  message text not null check (length(message) between 1 and 1000),
  status text not null default 'pending' check (status in ('pending', 'invited', 'declined')),
  -- The merchant's words with a refusal.
  reason text check (length(reason) <= 500),
  created_at timestamptz not null,
  answered_at timestamptz,
  check ((status = 'pending') = (answered_at is null))
);
create unique index join_request_pending on commerce.join_request (distributor, campaign_id, merchant)
  where status = 'pending';
create index join_request_distributor on commerce.join_request (distributor, number desc);
create index join_request_merchant on commerce.join_request (merchant, number desc);
create index join_request_merchant_pending on commerce.join_request (merchant, number desc)
  where status = 'pending';
create index join_request_age on commerce.join_request (created_at);
