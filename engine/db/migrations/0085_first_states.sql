-- A sale's first state follows from the sale: `ledger.sale_version` has the states that later events gave it. This removes the rows of the
-- events that recorded sales, nearly all of the table, from the ledgers that development versions of this release have folded. There is
-- none of an earlier release, which read another version of the contract: that is why a migration may empty and fill a large table here.
-- locks: ledger.sale_version

lock table ledger.sale_version in access exclusive mode;

create temporary table later_state on commit drop as
select version.* from ledger.sale_version version
where not exists (
  select 1 from ledger.sale
  where sale.campaign_id = version.campaign_id and sale.sale_id = version.sale_id and sale.seq = version.seq
);
-- Not deleted one by one: the pages would stay.
truncate ledger.sale_version;
insert into ledger.sale_version
select * from later_state order by campaign_id, sale_id, seq;
