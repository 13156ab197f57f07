-- Health of each URL of `RPC_URL`, as the worker that leads and the indexer see it. It holds nothing of the URL.
-- locks: none
create table ledger.rpc_health (
  part text not null check (part in ('indexer', 'worker')),
  place integer not null check (place > 0),
  state text not null,
  since timestamptz not null,
  until timestamptz,
  max_log_blocks integer,
  disagreements bigint not null,
  disagreed_at timestamptz,
  disagreed_about text,
  seen_at timestamptz not null default clock_timestamp(),
  primary key (part, place)
);
