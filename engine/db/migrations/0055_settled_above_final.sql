-- The settled block is never below the final one: answers are as of the settled block, and a final receipt must not become
-- a 404, whatever an RPC says (docs/how-it-works/settlement.md#the-settled-block).
-- locks: ledger.head
alter table ledger.head add constraint head_settled_above_final
  check (finalized_number is null or settled_number >= finalized_number) not valid;
