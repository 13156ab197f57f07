-- 'other-chain': an RPC is of another chain, and is left out (docs/operate/alarms.md#rpc-of-other-chain).
-- locks: ledger.trouble
alter table ledger.trouble drop constraint trouble_name_check;
alter table ledger.trouble add constraint trouble_name_check
  check (name in ('rpc', 'other-chain', 'disagreement', 'mismatch', 'orphaned'));
