-- Fresh signatures for sensitive writes, and what operators did.

alter table commerce.session
  -- sha-256 of the newest confirmation token, and until when it is good.
  add column confirmation_hash bytea check (length(confirmation_hash) = 32),
  add column confirmed_until timestamptz;

-- Append-only: what an operator did, and why.
create table commerce.moderation_log (
  id bigint generated always as identity primary key,
  campaign_id bigint not null,
  action text not null check (action in ('hide', 'unhide')),
  reason text not null check (length(reason) between 1 and 500),
  operator text not null check (operator ~ '^0x[0-9a-f]{40}$'),
  at timestamptz not null default now()
);
create index moderation_log_campaign on commerce.moderation_log (campaign_id, id desc);
