-- What a buyer gives up: a request for a refund that is withdrawn, and an intent that is cancelled.

-- A withdrawn request keeps what the merchant had accepted: that refund may come all the same.
alter table commerce.dispute
  drop constraint dispute_answer_check,
  drop constraint dispute_check,
  add constraint dispute_answer_check
    check (answer in ('open', 'accepted', 'declined', 'withdrawn')),
  add constraint dispute_check
    check (answer = 'withdrawn' or (answer = 'accepted') = (accepted_amount is not null));
-- Requests of a buyer, newest first.
create index dispute_buyer on commerce.dispute (buyer, opened_at, id);

-- A cancelled intent that is paid all the same has another state: the chain decides.
alter table commerce.checkout_intent
  add column cancelled_at timestamptz,
  drop constraint checkout_intent_state_check,
  add constraint checkout_intent_state_check
    check (state in ('created', 'submitted', 'confirmed', 'failed', 'expired', 'cancelled')),
  add constraint checkout_intent_cancelled_check
    check (state <> 'cancelled' or cancelled_at is not null);
-- Intents of a buyer, newest first.
create index checkout_intent_buyer on commerce.checkout_intent (buyer, created_at, id);
