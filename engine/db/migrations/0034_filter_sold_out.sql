-- The list of campaigns that take sales leaves out those that are sold out, and is counted by this index.
create index campaign_filter_sales on ledger.campaign (campaign_id) include (
  merchant, sku_hash, trust_mode, invite_only, starts_at, ends_at, created_block, funded, paused,
  ended, available, policy_version, commission_bps, max_rewarded_ancestors, hold_seconds,
  policy_expiry, rank_score, pending_count, finalized_count, refunded_count, sale_capacity
);
drop index ledger.campaign_filter;
alter index ledger.campaign_filter_sales rename to campaign_filter;
