-- Who works for a merchant, the keys of their programs, and a log of what they change (docs/use/teams.md).

-- Accounts that work for a merchant. The merchant's own account has a row from the first change of its team on.
create table commerce.team_member (
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  -- Account that the contract knows as the merchant.
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  account text not null check (account ~ '^0x[0-9a-f]{40}$'),
  role text not null check (role in ('owner', 'admin', 'analyst', 'viewer')),
  status text not null check (status in ('invited', 'active', 'removed')),
  invited_at timestamptz not null,
  joined_at timestamptz,
  removed_at timestamptz,
  unique (merchant, account),
  check (status <> 'active' or joined_at is not null),
  check ((status = 'removed') = (removed_at is not null)),
  check (role <> 'owner' or status = 'active')
);
create unique index team_owner on commerce.team_member (merchant) where role = 'owner';
create index team_account on commerce.team_member (account) where status <> 'removed';

-- A key of a program. It acts for an account, within one merchant.
create table commerce.api_key (
  -- Public part of the key, by which it is found.
  id text primary key check (id ~ '^[A-Za-z0-9]{10}$'),
  account text not null check (account ~ '^0x[0-9a-f]{40}$'),
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  name text not null check (length(name) between 1 and 100),
  -- HMAC-SHA-256 of the key under the pepper.
  hash bytea not null check (octet_length(hash) = 32),
  prefix text not null check (length(prefix) between 1 and 40),
  scopes text[] not null check (cardinality(scopes) between 1 and 100),
  -- Addresses and networks that may use it; empty for all.
  addresses text[] not null check (cardinality(addresses) <= 20),
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index api_key_account on commerce.api_key (account, created_at desc, id desc);
create index api_key_merchant on commerce.api_key (merchant, account) where revoked_at is null;

-- The pepper under which keys are hashed, sealed under the secret of the deployment.
create table commerce.api_key_pepper (
  singleton boolean primary key default true check (singleton),
  sealed bytea not null
);

-- Requests of a key by hour, kept for 90 days; and its newest 50 one by one.
create table commerce.api_key_hour (
  key_id text not null references commerce.api_key on delete cascade,
  at timestamptz not null,
  status_class text not null check (status_class in ('2xx', '3xx', '4xx', '5xx')),
  -- Campaign that the path named; empty if it named none.
  campaign_id text not null check (length(campaign_id) <= 100),
  count bigint not null check (count > 0),
  primary key (key_id, at, status_class, campaign_id)
);
create index api_key_hour_age on commerce.api_key_hour (at);
create table commerce.api_key_request (
  number bigint generated always as identity primary key,
  key_id text not null references commerce.api_key on delete cascade,
  at timestamptz not null,
  method text not null,
  path text not null,
  campaign_id text not null,
  request_id text not null,
  status integer not null,
  -- Milliseconds.
  latency_ms double precision not null
);
create index api_key_request_newest on commerce.api_key_request (key_id, number desc);

-- The log of what members of a team and their keys change. Each entry's id is a hash of the entry before it and
-- of its own content, so that a removed or changed entry is found (docs/use/teams.md#audit-log).
create table commerce.audit_entry (
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  -- Counts from 1 for each merchant.
  number bigint not null check (number > 0),
  id text not null unique,
  -- Milliseconds since 1970.
  at_ms bigint not null,
  actor text not null,
  role text not null,
  resource text not null,
  action text not null,
  before_hash text check (before_hash ~ '^0x[0-9a-f]{64}$'),
  after_hash text check (after_hash ~ '^0x[0-9a-f]{64}$'),
  primary key (merchant, number)
);
-- The newest entry of each merchant, by which missing newest entries are found.
create table commerce.audit_head (
  merchant text primary key,
  number bigint not null,
  id text
);

create function commerce.audit_id(
  before_id text, merchant text, number bigint, at_ms bigint, actor text, role text,
  resource text, action text, before_hash text, after_hash text
) returns text language sql immutable as $$
  -- base64url of the SHA-256 of the fields as a JSON array.
  select translate(rtrim(encode(sha256(convert_to(
    jsonb_build_array(before_id, merchant, number, at_ms, actor, role, resource, action, before_hash, after_hash)::text,
    'UTF8')), 'base64'), '='), '+/', '-_')
$$;

create function commerce.row_hash(stored jsonb) returns text language sql immutable as $$
  select '0x' || encode(sha256(convert_to(stored::text, 'UTF8')), 'hex')
$$;

-- Begins the transaction of a member's request: names the actor, and lets the merchant's writes wait for each other.
create function commerce.begin_change(actor jsonb) returns void language plpgsql as $$
begin
  insert into commerce.audit_head (merchant, number) values (actor ->> 'merchant', 0) on conflict do nothing;
  perform 1 from commerce.audit_head where merchant = actor ->> 'merchant' for update;
  perform set_config('tributary.actor', actor::text, true);
end
$$;

-- Writes an entry for each row that a request of a member changes. The request names its actor in the setting
-- `tributary.actor` of its transaction (`begin_change`); a change without one (of a worker, or of a buyer) is not the team's.
-- Arguments: name of the resource, and the column that identifies the row.
create function commerce.log_change() returns trigger language plpgsql as $$
declare
  actor jsonb := nullif(current_setting('tributary.actor', true), '')::jsonb;
  before_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  after_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  head commerce.audit_head;
  entry commerce.audit_entry;
begin
  if actor is null or before_row = after_row then return null; end if;
  entry.merchant := actor ->> 'merchant';
  select * into head from commerce.audit_head where merchant = entry.merchant;
  entry.number := head.number + 1;
  entry.at_ms := (actor ->> 'at')::bigint;
  entry.actor := actor ->> 'actor';
  entry.role := actor ->> 'role';
  entry.action := actor ->> 'action';
  entry.resource := tg_argv[0] || ':' || coalesce(after_row ->> tg_argv[1], before_row ->> tg_argv[1]);
  entry.before_hash := commerce.row_hash(before_row);
  entry.after_hash := commerce.row_hash(after_row);
  entry.id := commerce.audit_id(head.id, entry.merchant, entry.number, entry.at_ms, entry.actor, entry.role,
    entry.resource, entry.action, entry.before_hash, entry.after_hash);
  insert into commerce.audit_entry values (entry.*);
  update commerce.audit_head set number = entry.number, id = entry.id where merchant = entry.merchant;
  return null;
end
$$;

create trigger log_change after insert or update or delete on commerce.merchant
  for each row execute function commerce.log_change('merchant', 'id');
create trigger log_change after insert or update or delete on commerce.product
  for each row execute function commerce.log_change('product', 'id');
create trigger log_change after insert or update or delete on commerce.asset
  for each row execute function commerce.log_change('asset', 'id');
create trigger log_change after insert or update or delete on commerce.policy_template
  for each row execute function commerce.log_change('policyTemplate', 'id');
create trigger log_change after insert or update or delete on commerce.campaign_draft
  for each row execute function commerce.log_change('draft', 'id');
create trigger log_change after insert or update or delete on commerce.campaign_metadata
  for each row execute function commerce.log_change('metadata', 'metadata_hash');
create trigger log_change after insert or update or delete on commerce.campaign_settings
  for each row execute function commerce.log_change('campaign', 'campaign_id');
create trigger log_change after insert or update or delete on commerce.invitation
  for each row execute function commerce.log_change('invitation', 'id');
create trigger log_change after insert or update or delete on commerce.dispute
  for each row execute function commerce.log_change('dispute', 'id');
create trigger log_change after insert or update or delete on commerce.dispute_message
  for each row execute function commerce.log_change('disputeMessage', 'id');
create trigger log_change after insert or update or delete on commerce.report
  for each row execute function commerce.log_change('report', 'id');
create trigger log_change after insert or update or delete on commerce.team_member
  for each row execute function commerce.log_change('member', 'id');
create trigger log_change after insert or update or delete on commerce.api_key
  for each row execute function commerce.log_change('apiKey', 'id');
