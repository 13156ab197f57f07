-- Notifications by e-mail (docs/use/notifications.md): who gets which, what waits to be sent, and the mails.

create table commerce.mail_account (
  account text primary key check (account ~ '^0x[0-9a-f]{40}$'),
  -- In lower case; null without one.
  address text check (length(address) between 3 and 254),
  -- When its owner confirmed it; an address that is not confirmed gets nothing but the request to confirm it.
  confirmed_at timestamptz,
  -- Kinds of notifications that are sent.
  kinds text[] not null check (cardinality(kinds) <= 50),
  -- Stops all mails to the address. It is in every mail, and can do nothing else.
  unsubscribe_token text unique check (length(unsubscribe_token) = 43),
  -- Events of blocks up to this one are never sent.
  after_block bigint not null,
  -- Mails in a row that a server refused for good, and when that made the address undeliverable.
  failures integer not null default 0 check (failures >= 0),
  undeliverable_at timestamptz,
  check ((address is null) = (unsubscribe_token is null)),
  check (address is not null or (confirmed_at is null and undeliverable_at is null))
);
-- Accounts that get notifications.
create index mail_account_getting on commerce.mail_account (account)
  where confirmed_at is not null and undeliverable_at is null and kinds <> '{}';
create index mail_account_undeliverable on commerce.mail_account (account)
  where undeliverable_at is not null;
create index webhook_endpoint_disabled on commerce.webhook_endpoint (id)
  where disabled_reason is not null;

create table commerce.mail (
  -- Also the left half of its Message-ID. Of notifications, a hash of the account and the first event in it.
  id text primary key check (id ~ '^mail_[A-Za-z0-9_-]{1,100}$'),
  account text not null check (account ~ '^0x[0-9a-f]{40}$'),
  address text not null,
  status text not null check (status in ('queued', 'sending', 'sent', 'failed', 'cancelled')),
  -- Attempts that began.
  attempt integer not null default 0 check (attempt >= 0),
  -- Last answer of the mail server; null if there was none.
  smtp_code integer,
  next_attempt_at timestamptz,
  -- Until when an attempt may take.
  lease_until timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  check ((status = 'queued') = (next_attempt_at is not null)),
  check ((status = 'sending') = (lease_until is not null))
);
create index mail_due on commerce.mail (next_attempt_at, id) where status = 'queued';
create index mail_sending on commerce.mail (lease_until) where status = 'sending';
create index mail_account_newest on commerce.mail (account, created_at desc);
create index mail_finished on commerce.mail (created_at) where status in ('sent', 'failed', 'cancelled');

-- Requests to confirm an address.
create table commerce.mail_confirmation (
  mail_id text primary key references commerce.mail on delete cascade,
  account text not null,
  -- Mailbox of the address, by which these mails are limited over all accounts.
  mailbox text not null,
  -- SHA-256 of the token.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  -- The token for its mail, sealed under a key of the deployment.
  sealed_token bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- When somebody answered that the mail was not wanted.
  refused_at timestamptz
);
create index mail_confirmation_mailbox on commerce.mail_confirmation (mailbox, created_at desc);
create index mail_confirmation_account on commerce.mail_confirmation (account, created_at desc);

-- A notification of one event for an account. It waits until its block is safe, and then goes into a mail.
create table commerce.mail_item (
  number bigint generated always as identity,
  account text not null,
  -- Id of the event, as webhooks have it.
  event_id text not null,
  kind text not null,
  campaign_id bigint,
  sale_id bigint,
  -- Base units.
  amount numeric(78, 0),
  -- Dispute, invitation or report.
  subject_id text,
  -- Null for what is not on the chain.
  block_number bigint,
  block_hash text,
  log_index integer,
  at timestamptz not null,
  stored_at timestamptz not null,
  mail_id text references commerce.mail on delete set null,
  -- An event that is published again makes nothing new.
  primary key (account, event_id, kind)
);
-- What is ready first: what is not on the chain, then by block.
create index mail_item_waiting on commerce.mail_item (account, coalesce(block_number, -1), number)
  where mail_id is null;
create index mail_item_mail on commerce.mail_item (mail_id, number) where mail_id is not null;
create index mail_item_age on commerce.mail_item (stored_at);

-- Id of the mail that begins with an event.
create function commerce.mail_id(account text, event_id text, kind text) returns text language sql immutable as $$
  select 'mail_' || translate(encode(substr(sha256(convert_to(
    account || ':' || event_id || ':' || kind, 'UTF8')), 1, 24), 'base64'), '+/', '-_')
$$;
