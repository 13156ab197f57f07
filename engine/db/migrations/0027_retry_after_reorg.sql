-- A campaign that was stopped because of its data may owe that to a block that a reorg replaces later, and
-- its id may then belong to another campaign. So the ledger records how far facts were checked when it was stopped:
-- a reorg that goes back below that lets settlement try the campaign again (docs/how-it-works/settlement.md).

alter table ledger.cursor
  -- The checked block when the campaign's data stopped it; null if it runs, or if a reorg changes nothing.
  add column stopped_checked bigint;
create index cursor_stopped_checked on ledger.cursor (stopped_checked)
  where stopped_checked is not null;
