-- Results of the audit (docs/how-it-works/ledger.md#invariants): what was checked, as of which block, and what differs.
-- Settlement's own, and the newest few alone: each can be made again by auditing again.

create table ledger.audit (
  id bigint generated always as identity primary key,
  -- The settled block, as of which ledger and contract were compared.
  block_number bigint not null check (block_number >= 0),
  block_hash text not null check (block_hash ~ '^0x[0-9a-f]{64}$'),
  block_timestamp bigint not null,
  finished_at timestamptz not null default now(),
  duration_ms integer not null check (duration_ms >= 0),
  campaigns integer not null check (campaigns >= 0),
  discrepancies bigint not null check (discrepancies >= 0),
  violation_count bigint not null check (violation_count >= 0),
  -- The first of the violations, as engine/db/audit/audit.ts has them.
  violations jsonb not null check (jsonb_typeof(violations) = 'array')
);
