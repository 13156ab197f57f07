import type { Sql } from '../connection.ts';
import { catalogue } from '../tables/catalogue.ts';

/** Tables of the catalogue by their names, with their schemas; also by former names. */
const tables = Object.entries(catalogue).flatMap(([schema, records]) =>
  Object.entries(records).flatMap(([name, table]) =>
    [name, table.formerName ?? []].flat().map((one) => ({
      schema,
      name: `${schema}.${one}`,
      ...table,
    })),
  ),
);

const backedUp = tables.filter(({ notInBackup }) => notInBackup === undefined);

/** The tables that a backup may hold. A restore refuses any other. */
export function backupTables(withLedger: boolean): readonly string[] {
  // Settlement can fold the ledger again from the chain; nothing else has the rows of other tables.
  return backedUp.filter(({ schema }) => withLedger || schema !== 'ledger').map(({ name }) => name);
}

/** A table to copy. */
export interface TableColumns {
  /** With its schema. */
  readonly name: string;
  /** Columns that are stored, without generated ones. */
  readonly columns: readonly string[];
}

/**
 * Tables of the database that a backup holds, each after the tables that its foreign keys name.
 * @throws {Error} if the database has a table that this version does not know.
 */
export async function tablesToCopy(sql: Sql, withLedger: boolean): Promise<TableColumns[]> {
  const known = new Set(tables.map(({ name }) => name));
  const wanted = new Set(backupTables(withLedger));
  const stored = await storedTables(sql);
  const unknown = stored.filter(({ name }) => !known.has(name) && !name.startsWith('public.'));
  if (unknown.length > 0) {
    const names = unknown.map(({ name }) => name).join(', ');
    throw new Error(`This version does not know ${names}: back up with the version that made it.`);
  }
  return inOrder(stored.filter(({ name }) => wanted.has(name)));
}

interface StoredTable extends TableColumns {
  /** Tables that its foreign keys name. */
  readonly needs: readonly string[];
}

/** Every table of Tributary in the database. */
export async function storedTables(sql: Sql): Promise<StoredTable[]> {
  return await sql<StoredTable[]>`
    select space.nspname || '.' || t.relname as name,
      array(
        select attname::text from pg_attribute
        where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = ''
        order by attnum
      ) as columns,
      array(
        select distinct other_space.nspname || '.' || other.relname from pg_constraint c
        join pg_class other on other.oid = c.confrelid
        join pg_namespace other_space on other_space.oid = other.relnamespace
        where c.conrelid = t.oid and c.contype = 'f' and c.confrelid <> t.oid
      ) as needs
    from pg_class t join pg_namespace space on space.oid = t.relnamespace
    where space.nspname = any(${Object.keys(catalogue)}::text[]) and t.relkind = 'r'
    order by name`;
}

function inOrder(tables: readonly StoredTable[]): TableColumns[] {
  const ordered: TableColumns[] = [];
  const open = new Map(tables.map((table) => [table.name, table]));
  const add = (table: StoredTable): void => {
    if (!open.delete(table.name)) return;
    for (const name of table.needs) {
      const needed = open.get(name);
      if (needed !== undefined) add(needed);
    }
    ordered.push({ name: table.name, columns: table.columns });
  };
  for (const table of tables) add(table);
  return ordered;
}

/** Tables of `commerce` and `ledger` with rows that no migration wrote. */
export async function filledTables(sql: Sql): Promise<string[]> {
  const filledByMigrations = new Set(
    tables.flatMap(({ name, isFilledByMigrations }) => (isFilledByMigrations ? [name] : [])),
  );
  const names = (await storedTables(sql))
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('public.') && !filledByMigrations.has(name));
  const filled: string[] = [];
  for (const name of names) {
    const [row] = await sql`select 1 from ${sql(name)} limit 1`;
    if (row !== undefined) filled.push(name);
  }
  return filled;
}

/** A table with its columns, as COPY takes it. */
export function withColumns({ name, columns }: TableColumns): string {
  return `${quoted(name)} (${columns.map(quotedName).join(', ')})`;
}

/** The quoted name of a table that is given with its schema. */
export function quoted(name: string): string {
  return name.split('.').map(quotedName).join('.');
}

function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
