-- What buyers tell the merchant with an order: e-mail address, postal address and a note (docs/reference/privacy.md).
-- The new columns have constant defaults, so no row is rewritten.
-- locks: commerce.checkout_intent, commerce.product

-- Which details a checkout asks for: { email, address, note }, each "no", "optional" or "required".
alter table commerce.product
  add column asks jsonb not null default '{"email": "no", "address": "no", "note": "no"}';
-- As of the product when the purchase began.
alter table commerce.checkout_intent
  add column asks jsonb not null default '{"email": "no", "address": "no", "note": "no"}';

create table commerce.buyer_details (
  intent_id text primary key references commerce.checkout_intent,
  buyer text not null check (buyer ~ '^0x[0-9a-f]{40}$'),
  -- Merchant of the campaign with the terms that the buyer saw.
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  -- The details, encrypted for this order of this buyer.
  sealed bytea not null check (octet_length(sealed) between 29 and 16384),
  -- Key that encrypted them (`keyMark`): those of an older one are encrypted again.
  sealed_by text not null,
  -- Kinds that were given: email, address, note.
  kinds text[] not null,
  given_at timestamptz not null,
  updated_at timestamptz not null,
  -- True once a sale was found after the purchase could no longer be paid: then they are stored as long as details of sales.
  is_paid boolean not null default false
);
create index buyer_details_merchant on commerce.buyer_details (merchant, given_at desc, intent_id desc);
create index buyer_details_buyer on commerce.buyer_details (buyer, given_at);
create index buyer_details_age on commerce.buyer_details (given_at);
create index buyer_details_unpaid on commerce.buyer_details (given_at) where not is_paid;
create index buyer_details_sealed_by on commerce.buyer_details (sealed_by, intent_id);
