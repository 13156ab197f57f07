-- Deleting an event clears `retracted_by` of the event that it retracts, which must not scan the table for each.
create index webhook_event_retracted_by on commerce.webhook_event (retracted_by)
  where retracted_by is not null;
