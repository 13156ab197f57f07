-- Reads of the public record (docs/reference/api.md, "The public record").

-- Events of all campaigns in the order of the chain, and of one block. Settlement appends to its end.
create index journal_chain on ledger.journal (block_number, log_index);
-- Events of a transaction. A hash index: equality is all that is asked, and it stores 4 bytes instead of 66.
create index journal_transaction on ledger.journal using hash (transaction_hash);
-- The key by which settlement looks events up must be the youngest index: see 0020_youngest_keys.sql.
alter table ledger.journal drop constraint journal_pkey, add primary key (campaign_id, seq);

-- Handles by their beginning, for searches.
create index distributor_handle on commerce.distributor (handle text_pattern_ops)
  where visibility = 'public';

-- The version of a product that a sale sold: the newest published one that was saved before it.
create index product_version_published
  on commerce.product_version (product_id, saved_at desc, version desc)
  where body ->> 'status' <> 'draft';

-- What was sold stays what it was: nobody changes a version, not even by mistake.
create function commerce.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'a version of a product never changes' using errcode = 'restrict_violation';
end
$$;
create trigger product_version_unchanged before update or delete on commerce.product_version
  for each row execute function commerce.refuse_change();
