-- Search by names, words of descriptions, and typing mistakes (docs/reference/api.md, "Methods that anyone may call").
-- locks: commerce.distributor, commerce.merchant, commerce.product

do $$
begin
  create extension if not exists pg_trgm;
exception when others then
  raise exception 'The search needs pg_trgm, an extension of PostgreSQL: %', sqlerrm using
    hint = 'It comes with PostgreSQL (postgresql-contrib, if your system packages that separately). Some services must be told to '
      'allow it. Let the owner of the database run "create extension pg_trgm" in it, and then migrate again.';
end
$$;
do $$
begin
  if to_regoperator('%>(text,text)') is null then
    raise exception 'The extension pg_trgm is installed in a schema that is not in the search_path.' using
      hint = 'Run "alter extension pg_trgm set schema public", and then migrate again.';
  end if;
end
$$;

-- A text as the search compares it: lower case, no accents, and one space for each run of punctuation. engine/db/read/search/text.ts
-- does the same with what was typed.
create function commerce.search_text(value text) returns text language sql immutable strict parallel safe
  return btrim(regexp_replace(lower(regexp_replace(normalize(value, nfkd), U&'[\0300-\036f]', '', 'g')),
    '[\s!-/:-@\[-`{-~]+', ' ', 'g'));

-- Of each kind: names by their beginning; words; and names by their trigrams, for those that were mistyped.
create index product_search_name on commerce.product ((commerce.search_text(title) collate "C"));
create index product_search on commerce.product using gin (
  to_tsvector('simple', commerce.search_text(title || ' ' || summary || ' ' || outcome || ' ' || description)),
  commerce.search_text(title) gin_trgm_ops
);
create index merchant_search_name on commerce.merchant ((commerce.search_text(name) collate "C"));
create index merchant_search on commerce.merchant using gin (
  to_tsvector('simple', commerce.search_text(name || ' ' || slug || ' ' || coalesce(description, ''))),
  commerce.search_text(name || ' ' || slug) gin_trgm_ops
);
-- A distributor that is not public is found by nothing but its whole handle.
create index distributor_search_handle on commerce.distributor ((commerce.search_text(handle) collate "C"))
  where visibility = 'public';
create index distributor_search_name on commerce.distributor ((commerce.search_text(display_name) collate "C"))
  where visibility = 'public';
create index distributor_search on commerce.distributor using gin (
  to_tsvector('simple', commerce.search_text(handle || ' ' || coalesce(display_name, ''))),
  commerce.search_text(handle || ' ' || coalesce(display_name, '')) gin_trgm_ops
) where visibility = 'public';
drop index commerce.distributor_handle;

-- Addresses of merchants by their beginning.
create index merchant_address on commerce.merchant ((address collate "C"));
