-- Every amount of the ledger becomes `numeric` without a limit. The contract bounds one amount to 256
-- bits and does not bound a total: what a refund releases can be reserved again, so a stranger with a
-- worthless token can drive a total past 10^78, which numeric(78, 0) refuses (docs/how-it-works/ledger.md).
-- PostgreSQL changes the catalogue alone: it rewrites no table.

-- PostgreSQL refuses to change a column that a view reads, so the two views are dropped and made again.
create temporary table view_text on commit drop as
select viewname, pg_get_viewdef(format('ledger.%I', viewname)::regclass) as definition
from pg_views where schemaname = 'ledger';

do $$
declare
  one record;
begin
  for one in select viewname from view_text loop
    execute format('drop view ledger.%I', one.viewname);
  end loop;
  for one in
    select table_name, column_name from information_schema.columns
    where table_schema = 'ledger' and data_type = 'numeric' and numeric_precision is not null
  loop
    execute format('alter table ledger.%I alter column %I type numeric', one.table_name, one.column_name);
  end loop;
  for one in select viewname, definition from view_text loop
    execute format('create view ledger.%I as %s', one.viewname, one.definition);
  end loop;
end
$$;

-- Indexes that name a changed column count as younger than the keys now, and the keys by which settlement
-- looks rows up have to be the youngest: see 0020_youngest_keys.sql.
alter table ledger.sale drop constraint sale_pkey, add primary key (campaign_id, sale_id);
alter table ledger.journal drop constraint journal_pkey, add primary key (campaign_id, seq);
alter table ledger.entry drop constraint entry_pkey, add primary key (campaign_id, seq, ordinal);
alter table ledger.sale_level
  drop constraint sale_level_pkey, add primary key (campaign_id, sale_id, level);
drop index ledger.sale_level_recipient;
create index sale_level_recipient on ledger.sale_level (recipient, campaign_id, sale_id);
