-- Lists and totals for people who browse (docs/use/explorer.md).

-- Totals by day of all campaigns: those of the last weeks are read by day.
create index sale_day_day on ledger.sale_day (day, campaign_id);

-- The list of merchants is by name.
create index merchant_by_name on commerce.merchant ((lower(name) collate "C"), address)
  where closed_at is null;
