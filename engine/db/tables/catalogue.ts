/**
 * The catalogue of tables: one record for each, by schema. A migration that adds a table needs a record here: a test
 * compares the catalogue with the migrated database.
 */
import { commerce, type PersonalTable } from './commerce.ts';
import { type FoldedTable, ledger } from './ledger.ts';
import type { DescribedTable } from './table.ts';

/** Tables about the database itself. */
const ofDatabase = {
  tributary_migration: {
    what: 'Migrations that were applied.',
    notInBackup: 'the manifest names the migrations',
  },
  tributary_restore: {
    what: 'The restore that made this database, if one did.',
    notInBackup: 'the restore that made this database',
  },
};

/** Every table of Tributary in the database. The indexer and the queue own other schemas. */
export const catalogue: Readonly<
  Record<
    'commerce' | 'ledger' | 'public',
    Readonly<Record<string, PersonalTable | FoldedTable | DescribedTable>>
  >
> = { commerce, ledger, public: ofDatabase };
