-- Of indexes that look equally good, as all do while a table is new, PostgreSQL takes the youngest; and
-- plans that settlement prepares then are kept until the table was analysed, a minute later. So the keys by
-- which settlement looks rows up have to be the youngest: by `sale_time` it looked for each sale among all
-- of its campaign, and by `journal_block` for each event (bench/performance.md, «Settle»;
-- test/settlement/write-path.test.ts). Nothing else changes.
alter table ledger.sale drop constraint sale_pkey, add primary key (campaign_id, sale_id);
alter table ledger.journal drop constraint journal_pkey, add primary key (campaign_id, seq);
alter table ledger.entry drop constraint entry_pkey, add primary key (campaign_id, seq, ordinal);
drop index ledger.sale_level_recipient;
create index sale_level_recipient on ledger.sale_level (recipient, campaign_id, sale_id);
