-- What accounts may get and delete (docs/reference/privacy.md).
-- Nothing is rewritten or scanned, so it takes milliseconds however large the database is.
-- locks: commerce.audit_head

-- Files of deleted accounts, until a worker has removed them from the storage.
create table commerce.deleted_file (
  key text primary key check (length(key) between 1 and 200),
  deleted_at timestamptz not null
);
create index deleted_file_age on commerce.deleted_file (deleted_at);

-- The newest entry of a merchant's audit log that was deleted because of its age, and its id. The oldest entry that
-- is left is checked against it.
alter table commerce.audit_head
  add column deleted_number bigint not null default 0,
  add column deleted_id text;

-- A value for an export: every number is text, because amounts have more digits than numbers of JavaScript.
create function commerce.exported(stored jsonb) returns jsonb language sql immutable as $$
  select case jsonb_typeof(stored)
    when 'number' then to_jsonb(stored #>> '{}')
    when 'object' then (
      select coalesce(jsonb_object_agg(key, commerce.exported(value)), '{}') from jsonb_each(stored)
    )
    when 'array' then (
      select coalesce(jsonb_agg(commerce.exported(value) order by ordinality), '[]')
      from jsonb_array_elements(stored) with ordinality
    )
    else stored
  end
$$;
