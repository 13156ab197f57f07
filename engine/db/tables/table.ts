/** Facts about any table. It is in backups unless its record says why not. */
export interface Table {
  /** Its name in the release before. Backups of that release have it, and so has a restored database until it is migrated. */
  readonly formerName?: string;
  /** Why no backup holds its rows. */
  readonly notInBackup?: string;
  /** Columns with a hash or address that store its bytes, not `0x…` as text (`engine/db/hex.ts`). */
  readonly bytes?: readonly string[];
  /** True if migrations alone write rows into it. */
  readonly isFilledByMigrations?: true;
}

/** A table whose record describes its rows. */
export interface DescribedTable extends Table {
  /** Meaning of its rows. */
  readonly what: string;
}
