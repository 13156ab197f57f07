-- A level's hold is that of its sale, and a level that holds something is one of a pending sale, which `sale_due_in_campaign` finds by the
-- end of its hold. So no level repeats that time, and no index of the levels has it. The table is filled again, because the null bits that a
-- dropped column needs make a row whose other columns are all set 8 bytes longer. The number of a sale's event goes before its recipient:
-- after numbers of any length it left gaps. There is no ledger of an earlier release, which read another version of the contract: that is
-- why a migration may write a large table again here. A worker of a development version that still runs fails, and writes nothing.
-- locks: ledger.sale_level

-- PostgreSQL drops no table that views read.
create temporary table view_text on commit drop as
select relname, pg_get_viewdef(pg_class.oid) as definition from pg_class
where oid in ('ledger.sale_account'::regclass, 'ledger.sale_sum'::regclass);
drop view ledger.sale_account, ledger.sale_sum;

alter table ledger.sale_level rename to level_with_hold;
create table ledger.sale_level (
  campaign_id bigint not null,
  sale_id bigint not null,
  node_id bigint not null,
  -- Sequence number of the event that vested it.
  vested_seq bigint,
  level smallint not null,
  recipient bytea not null constraint sale_level_bytes check (octet_length(recipient) = 20),
  share numeric not null,
  reserved numeric not null,
  released numeric not null,
  vested numeric not null,
  reversed numeric not null,
  -- The account's reserve in the campaign after the reservation of this level; null if its share is 0.
  reserved_after numeric
);
insert into ledger.sale_level
select campaign_id, sale_id, node_id, vested_seq, level, recipient, share, reserved, released, vested, reversed, reserved_after
from ledger.level_with_hold order by campaign_id, sale_id, level;
drop table ledger.level_with_hold;

-- The keys by which settlement looks rows up are the youngest: see 0020_youngest_keys.sql.
create index sale_level_newest on ledger.sale_level (recipient, sale_id);
alter table ledger.sale_level add primary key (campaign_id, sale_id, level);
create index sale_level_recipient on ledger.sale_level (recipient, campaign_id, sale_id);

do $$
declare
  one record;
begin
  for one in select * from view_text loop
    execute format('create view ledger.%I as %s', one.relname, one.definition);
  end loop;
end
$$;
