-- Lists and searches of what grows with sales (docs/reference/api.md, "The public record").
-- online

-- Transactions by the beginning of their hash, and by all of it: eight bytes tell hashes apart.
create index concurrently if not exists journal_transaction_start
  on ledger.journal (substr(transaction_hash, 1, 8));
-- Merchants that have no profile, by the beginning of their address.
create index concurrently if not exists campaign_merchant_text on ledger.campaign ((merchant collate "C"));
-- Sales of a campaign by price.
create index concurrently if not exists sale_price on ledger.sale (campaign_id, amount, sale_id);
-- Sales of all campaigns by a rare state. Others are read in the order of their ids; pending ones also by `sale_due`.
create index concurrently if not exists sale_state on ledger.sale (state, sale_id) where state in ('refunded', 'reversed');
