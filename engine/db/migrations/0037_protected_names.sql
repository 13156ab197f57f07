-- Slugs and names of merchants are protected as handles are: for a while after one is given up, no
-- other account may have it.
alter table commerce.released_handle rename to released_name;
alter table commerce.released_name rename column handle to name;
alter table commerce.released_name
  drop constraint released_handle_handle_check,
  drop constraint released_handle_pkey,
  add column kind text not null default 'handle' check (kind in ('handle', 'slug', 'merchant name'));
alter table commerce.released_name
  alter column kind drop default,
  add primary key (kind, name);
alter index commerce.released_handle_address rename to released_name_address;

-- Two names with the same key look the same to a reader.
create function commerce.name_key(name text) returns text language sql immutable strict parallel safe
  return lower(btrim(regexp_replace(normalize(name, nfkc), '\s+', ' ', 'g')));
-- Not unique: older profiles may share a name.
alter table commerce.merchant add column name_key text not null
  generated always as (commerce.name_key(name)) stored;
create index merchant_name_key on commerce.merchant (name_key);
