-- A campaign is named by its terms as well, because a reorg can give its id to another campaign.
-- A ledger belongs to one contract (ledger.deployment), and an older contract announces no terms: its
-- campaigns keep the zeros that these columns begin with, and no event of the new contract follows them.
alter table ledger.campaign
  add column nodes_per_account bigint not null default 0,
  add column salt text not null default '0x' || repeat('00', 32),
  add column terms_hash text not null default '0x' || repeat('00', 32),
  add column credit_outstanding numeric not null default 0;
alter table ledger.campaign
  alter column nodes_per_account drop default,
  alter column salt drop default,
  alter column terms_hash drop default,
  alter column credit_outstanding drop default;
create index campaign_terms on ledger.campaign (terms_hash);

-- Refunds and rewards that a token refused and that nobody has withdrawn yet.
alter table ledger.journal add column credit_outstanding numeric not null default 0;
alter table ledger.journal alter column credit_outstanding drop default;

-- An account's credit in a campaign after each event that changed it. Append-only: the newest row at or
-- below an event is what the account could withdraw then.
create table ledger.credit (
  campaign_id bigint not null,
  account text not null,
  seq bigint not null,
  block_number bigint not null,
  credit_after numeric not null,
  primary key (campaign_id, account, seq)
);
create index credit_seq on ledger.credit (campaign_id, seq);
create index credit_account on ledger.credit (account, campaign_id, seq);

-- The audit, and settlement that begins between a payment and its credit, look for these alone.
create index journal_credit on ledger.journal (campaign_id, seq)
  where name in ('PaymentCredited', 'CreditWithdrawn');

-- What a buyer saw under the ids of an intent. An intent of an older contract cannot be paid any more.
alter table commerce.checkout_intent
  add column terms_hash text not null default '0x' || repeat('00', 32)
    check (terms_hash ~ '^0x[0-9a-f]{64}$'),
  add column node_owner text check (node_owner ~ '^0x[0-9a-f]{40}$');
alter table commerce.checkout_intent alter column terms_hash drop default;

-- The salt of a draft's campaign is chosen once, so that preparing it again names the same terms.
alter table commerce.campaign_draft add column salt text check (salt ~ '^0x[0-9a-f]{64}$');
