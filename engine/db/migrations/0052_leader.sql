-- The worker that leads (docs/how-it-works/settlement.md#the-leader). The token rises with each leader, so that the database can refuse
-- what an earlier leader decided; the time shows whether the leader's process still runs.
-- locks: none
create table ledger.leader (
  singleton boolean primary key default true check (singleton),
  token bigint not null,
  -- Server process of the session that holds the lock.
  pid integer not null,
  renewed_at timestamptz not null
);
