-- A delivery that waits for no tag of the chain is `pending`, as in answers of the API. Workers of an older version may run during
-- an upgrade and store `settled`, which reads as the same; such rows are deleted after 30 days.
-- locks: commerce.webhook_delivery
alter table commerce.webhook_delivery drop constraint webhook_delivery_finality_check;
alter table commerce.webhook_delivery add constraint webhook_delivery_finality_check
  check (finality in ('pending', 'settled', 'safe', 'finalized')) not valid;
