-- A reservation is stated by its level alone: `ledger.entry` has no rows of it any more. This converts the ledgers that development
-- versions of this release have folded. There is none of an earlier release, which read another version of the contract: that is why
-- a migration may change all rows here, and why no program of an earlier release writes them meanwhile.
-- locks: ledger.entry, ledger.sale_level

lock table ledger.entry, ledger.sale_level in access exclusive mode;

-- The account's reserve in the campaign after the reservation of this level; null if its share is 0, which reserves nothing. It never
-- changes.
alter table ledger.sale_level add column reserved_after numeric;

update ledger.sale_level level set reserved_after = entry.reserved_after
from ledger.entry
where entry.kind = 'reserve' and entry.campaign_id = level.campaign_id and entry.sale_id = level.sale_id
  and entry.level = level.level;

delete from ledger.entry where kind = 'reserve';

-- A worker of a development version that still runs fails, and writes nothing that reads would miss.
alter table ledger.entry add constraint entry_is_no_reservation check (kind <> 'reserve');
