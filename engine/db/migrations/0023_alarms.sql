-- Alarms about single campaigns and tokens, which an operator can acknowledge (docs/operate/alarms.md, "Alarms").

-- What the newest audit found, by campaign or token and invariant: each row is an alarm. `ledger.audit` keeps
-- only the first violations; a stranger who causes thousands must not hide the others.
create table ledger.audit_finding (
  -- Null for a finding about a token and all its campaigns.
  campaign_id bigint,
  -- Null for a finding about one campaign.
  token text,
  invariant text not null,
  -- How bad it is: violations of a campaign, or base units that are missing of a token.
  level numeric not null check (level > 0),
  sentence text not null,
  since timestamptz not null default now(),
  check ((campaign_id is null) <> (token is null))
);
create unique index audit_finding_key on ledger.audit_finding
  (coalesce(campaign_id, 0), coalesce(token, ''), invariant);

-- What operators decided about alarms, append-only. The newest row of a key holds.
create table commerce.alarm_decision (
  id bigint generated always as identity primary key,
  -- Of one alarm; or `name/token/address/*` and `name/merchant/address/*`, for all that name of that
  -- token's or merchant's campaigns, now and later.
  key text not null check (length(key) between 1 and 300),
  action text not null check (action in ('acknowledge', 'unacknowledge')),
  -- The alarm's level when it was acknowledged: above it, it shows again. Null for no limit.
  level numeric,
  reason text not null check (length(reason) between 1 and 500),
  -- An operator's address, or the command line.
  decided_by text not null check (length(decided_by) between 1 and 100),
  at timestamptz not null default now()
);
create index alarm_decision_key on commerce.alarm_decision (key, id desc);
