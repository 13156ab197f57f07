-- The node of a level goes before its recipient: PostgreSQL aligns a `bigint` to 8 bytes, and 21 bytes of a recipient before each of two
-- left gaps that made a row 8 bytes longer. A `using` reads the columns as they were before the statement, so that the table is rewritten
-- once. There is no ledger of an earlier release, which read another version of the contract: that is why a migration may rewrite a large
-- table here.
-- locks: ledger.journal, ledger.sale_level

-- PostgreSQL refuses to change a column that a view reads.
create temporary table view_text on commit drop as
select pg_get_viewdef('ledger.sale_account'::regclass) as definition;
drop view ledger.sale_account;

drop index ledger.sale_level_newest, ledger.sale_level_recipient;
alter table ledger.sale_level
  drop constraint sale_level_pkey, drop constraint sale_level_bytes,
  alter column node_id type bytea using recipient,
  alter column recipient type bigint using node_id;
alter table ledger.sale_level rename column node_id to moved_recipient;
alter table ledger.sale_level rename column recipient to node_id;
alter table ledger.sale_level rename column moved_recipient to recipient;
alter table ledger.sale_level add constraint sale_level_bytes check (octet_length(recipient) = 20);
create index sale_level_newest on ledger.sale_level (recipient, sale_id);

do $$
begin
  execute format('create view ledger.sale_account as %s', (select definition from view_text));
end
$$;

-- A sale has few events, which are sorted when they are read. PostgreSQL fills the pages of an index of two numbers that grow in each
-- campaign, and leaves them half empty if there are three.
drop index ledger.journal_sale;
create index journal_sale on ledger.journal (campaign_id, sale_id) where sale_id is not null;

-- The keys by which settlement looks rows up stay the youngest: see 0020_youngest_keys.sql.
alter table ledger.journal drop constraint journal_pkey, add primary key (campaign_id, seq);
alter table ledger.sale_level add primary key (campaign_id, sale_id, level);
create index sale_level_recipient on ledger.sale_level (recipient, campaign_id, sale_id);
