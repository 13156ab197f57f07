-- Backups that were completed and verified (docs/operate/back-up.md): the newest one shows that backups still run. A restore does not
-- bring them back, because they are backups of another database.
-- locks: none
create table commerce.backup (
  id text primary key check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  finished_at timestamptz not null,
  -- Settled block; null if none was settled yet.
  block_number bigint,
  -- Bytes of all parts, without the files that earlier backups hold too.
  bytes bigint not null check (bytes >= 0)
);
create index backup_finished on commerce.backup (finished_at desc);
