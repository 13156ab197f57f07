-- Webhooks: what is sent to whom (docs/use/webhooks.md). `ledger.change` is the outbox of the ledger: it is written in
-- the transaction that moves the settled block. `service_event` is that of everything else.

create table commerce.webhook_endpoint (
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  -- Account whose events it gets, as a merchant, distributor or buyer.
  owner text not null check (owner ~ '^0x[0-9a-f]{40}$'),
  url text not null check (length(url) between 1 and 2048),
  events text[] not null check (cardinality(events) between 1 and 50),
  enabled boolean not null default true,
  -- Whether the events of a campaign wait for each other.
  is_ordered boolean not null default false,
  -- Sealed under a key of the deployment.
  secret bytea not null,
  old_secret bytea,
  old_secret_expires_at timestamptz,
  -- Events of blocks up to this one are never sent: it did not exist then, or what was sent is forgotten.
  after_block bigint not null,
  created_at timestamptz not null,
  -- Since when every attempt has failed, and how many.
  failing_since timestamptz,
  failures integer not null default 0 check (failures >= 0),
  -- Until when it is left alone, because it failed or asked for it.
  paused_until timestamptz,
  disabled_reason text check (length(disabled_reason) <= 500),
  check ((old_secret is null) = (old_secret_expires_at is null))
);
create index webhook_endpoint_owner on commerce.webhook_endpoint (owner, created_at desc, id desc);
create index webhook_endpoint_enabled on commerce.webhook_endpoint (owner) where enabled;

create table commerce.webhook_event (
  -- The order in which events became known.
  number bigint generated always as identity primary key,
  id text not null unique check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  type text not null,
  -- Null for what is not on the chain.
  campaign_id bigint,
  seq bigint,
  block_number bigint,
  block_hash text,
  log_index integer,
  -- The event that it retracts.
  retracts bigint references commerce.webhook_event on delete cascade,
  -- The event that retracts it.
  retracted_by bigint references commerce.webhook_event on delete set null,
  -- Body of its deliveries, without the finality that each waited for.
  body jsonb not null,
  -- Time of its block, or of the service.
  at timestamptz not null,
  -- When it became known, however old its block was then.
  stored_at timestamptz not null
);
create index webhook_event_standing on commerce.webhook_event (campaign_id, seq)
  where retracts is null and retracted_by is null;
create index webhook_event_occurrence on commerce.webhook_event (block_hash, log_index)
  where retracts is null;
create index webhook_event_age on commerce.webhook_event (stored_at);
create index webhook_event_retracts on commerce.webhook_event (retracts) where retracts is not null;

create table commerce.webhook_delivery (
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  endpoint_id text not null references commerce.webhook_endpoint on delete cascade,
  event_number bigint not null references commerce.webhook_event on delete cascade,
  -- Of the event, for the order of an endpoint.
  campaign_id bigint,
  block_number bigint,
  -- How final the block must be; null for what is not on the chain.
  finality text check (finality in ('settled', 'safe', 'finalized')),
  -- Whether somebody asked for it to be sent again.
  is_replay boolean not null default false,
  status text not null check (status in ('queued', 'sending', 'delivered', 'failed', 'cancelled')),
  -- Attempts that began.
  attempt integer not null default 0 check (attempt >= 0),
  http_status integer,
  -- `infinity` while it waits for the finality of its block.
  next_attempt_at timestamptz,
  -- Until when an attempt may take.
  lease_until timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  check ((status = 'queued') = (next_attempt_at is not null)),
  check ((status = 'sending') = (lease_until is not null))
);
create unique index webhook_delivery_once on commerce.webhook_delivery (endpoint_id, event_number)
  where not is_replay;
create index webhook_delivery_event on commerce.webhook_delivery (event_number);
create index webhook_delivery_due on commerce.webhook_delivery (endpoint_id, next_attempt_at, event_number)
  where status = 'queued';
create index webhook_delivery_waiting on commerce.webhook_delivery (finality, block_number)
  where status = 'queued' and next_attempt_at = 'infinity';
create index webhook_delivery_sending on commerce.webhook_delivery (endpoint_id, lease_until)
  where status = 'sending';
create index webhook_delivery_open on commerce.webhook_delivery (endpoint_id, campaign_id, event_number)
  where status in ('queued', 'sending');
create index webhook_delivery_newest on commerce.webhook_delivery (endpoint_id, created_at desc, id desc);

-- Every attempt and its outcome.
create table commerce.webhook_attempt (
  delivery_id text not null references commerce.webhook_delivery on delete cascade,
  attempt integer not null check (attempt >= 1),
  at timestamptz not null,
  -- Milliseconds.
  latency_ms integer not null check (latency_ms >= 0),
  http_status integer,
  -- Why there was no answer; null if there was one.
  error text check (length(error) <= 500),
  -- First characters of the answer.
  excerpt text check (length(excerpt) <= 1100),
  primary key (delivery_id, attempt)
);

-- The last change for which deliveries were made, and its ledger.
create table commerce.webhook_cursor (
  singleton boolean primary key default true check (singleton),
  epoch text,
  sequence bigint not null default 0,
  -- After a ledger was made again: the block from which on every event that was sent is looked up in it.
  recheck_at_block bigint
);
insert into commerce.webhook_cursor default values;

-- What happened in this service and not on the chain, until its deliveries are made.
create table commerce.service_event (
  number bigint generated always as identity primary key,
  id text not null default 'evt_' || replace(gen_random_uuid()::text, '-', ''),
  type text not null,
  accounts text[] not null,
  campaign_id bigint,
  subject_id text not null,
  amount numeric(78, 0),
  at timestamptz not null default now()
);

create function commerce.note_dispute() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or (old.answer = 'withdrawn' and new.answer = 'open') then
    insert into commerce.service_event (type, accounts, campaign_id, subject_id, amount)
    values ('dispute.opened', array[new.merchant, new.buyer], new.campaign_id, new.id, new.requested_amount);
  elsif new.answer is distinct from old.answer or new.accepted_amount is distinct from old.accepted_amount then
    insert into commerce.service_event (type, accounts, campaign_id, subject_id, amount)
    values (case new.answer when 'withdrawn' then 'dispute.withdrawn' else 'dispute.answered' end,
      array[new.merchant, new.buyer], new.campaign_id, new.id, new.accepted_amount);
  end if;
  return null;
end
$$;
create trigger note_event after insert or update on commerce.dispute
  for each row execute function commerce.note_dispute();

create function commerce.note_invitation() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into commerce.service_event (type, accounts, campaign_id, subject_id)
    values ('invitation.received', array[new.merchant, new.distributor], new.campaign_id, new.id);
  elsif new.status is distinct from old.status and new.status in ('accepted', 'declined') then
    insert into commerce.service_event (type, accounts, campaign_id, subject_id)
    values ('invitation.answered', array[new.merchant, new.distributor], new.campaign_id, new.id);
  end if;
  return null;
end
$$;
create trigger note_event after insert or update on commerce.invitation
  for each row execute function commerce.note_invitation();

create function commerce.note_report() returns trigger language plpgsql as $$
begin
  if new.status is distinct from old.status and new.status in ('ready', 'failed') then
    insert into commerce.service_event (type, accounts, subject_id)
    values ('report.' || new.status, array[new.merchant], new.id);
  end if;
  return null;
end
$$;
create trigger note_event after update on commerce.report
  for each row execute function commerce.note_report();

create trigger log_change after insert or update or delete on commerce.webhook_endpoint
  for each row execute function commerce.log_change('webhook', 'id');
