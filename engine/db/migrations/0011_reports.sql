-- Reports that merchants order, the chores of background jobs, and what analytics read by.

-- Sales of a campaign by time, with all that adding them up needs.
create index sale_time on ledger.sale (campaign_id, block_timestamp, sale_id)
  include (block_number, changed_seq, state, amount, refunded_total, node_id);
create index node_time on ledger.node (campaign_id, block_timestamp)
  include (block_number, node_id);

-- A report and its file. The queue only says that one is to be made: what to make, and whether, is
-- here, so that a lost queue loses no report.
create table commerce.report (
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  kind text not null check (kind in ('sales', 'rewards', 'missed', 'movements', 'payouts')),
  format text not null check (format in ('csv', 'json')),
  -- From `from_time` until before `to_time`; both or neither.
  from_time timestamptz,
  to_time timestamptz,
  -- Empty for all campaigns.
  campaign_ids bigint[] not null default '{}',
  status text not null default 'queued'
    check (status in ('queued', 'running', 'ready', 'failed', 'expired')),
  -- Counts up with each try: it names the try that may finish it.
  attempt integer not null default 0 check (attempt >= 0),
  -- While it runs: until when its worker may be silent before another takes it up.
  lease_until timestamptz,
  -- The settled block that its file is as of.
  block_number bigint,
  rows bigint check (rows >= 0),
  size bigint check (size >= 0),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  file_key text,
  error text check (length(error) <= 500),
  created_at timestamptz not null,
  -- When its status changed last.
  changed_at timestamptz not null,
  finished_at timestamptz,
  -- When the file is taken away.
  expires_at timestamptz,
  check ((from_time is null) = (to_time is null)),
  check ((status = 'running') = (lease_until is not null)),
  check (status not in ('ready', 'expired')
    or (rows, size, sha256, file_key, block_number, finished_at, expires_at) is not null)
);
create index report_merchant on commerce.report (merchant, created_at desc, id desc);
create index report_open on commerce.report (changed_at) where status in ('queued', 'running');
create index report_expires on commerce.report (expires_at) where status = 'ready';
create index report_old on commerce.report (created_at) where status in ('failed', 'expired');

-- What is done again and again in the background (engine/jobs/chores.ts): when it is due next, and
-- how it went. Made anew where rows are missing.
create table commerce.chore (
  name text primary key,
  due_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  -- Of the newest run; null where it went well.
  error text check (length(error) <= 500)
);
