-- The distributor's side: what an account earned, newest first, and the handles that were given up.

-- Levels, missed rewards and claims of an account over all campaigns, newest first.
create index sale_level_newest on ledger.sale_level (recipient, sale_id, campaign_id, level);
create index missed_reward_newest
  on ledger.missed_reward (recipient, sale_id, campaign_id, level, reason);
create index entry_claim on ledger.entry (account, block_number, campaign_id, seq)
  where kind = 'claim';

-- Movements of a vault of one kind, those that journal_name does not have.
create index journal_moved on ledger.journal (campaign_id, name, seq)
  where name in ('SaleRecorded', 'RewardReleased', 'SaleRefunded', 'RewardVested', 'SaleFinalized',
    'RewardReversed');

-- Handles that an account gave up: for a while nobody else may have them, so that nobody can pass
-- for who had them before.
create table commerce.released_handle (
  handle text primary key check (handle ~ '^[a-z][a-z0-9-]{2,31}$'),
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  released_at timestamptz not null
);
create index released_handle_address on commerce.released_handle (address, released_at);
