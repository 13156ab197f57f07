import { advisoryLocks } from '../advisory-locks.ts';
import { CONVERSION_SCHEMA, PARTITIONS_SCHEMA } from './conversion.ts';
import type { TableDefinition } from './table.ts';

/** Schema that has the old table for the moment in which the new one takes its place. */
const REPLACED_SCHEMA = 'ledger_replaced';

/**
 * Statements that create the new table, empty, and the triggers that carry over to it what is written to the old one
 * from now on.
 * @param partitions number of hash partitions by campaign; 1 for a table without partitions.
 */
export function prepareStatements(table: TableDefinition, partitions: number): string[] {
  return [
    `create schema ${CONVERSION_SCHEMA}`,
    `create table ${CONVERSION_SCHEMA}.conversion (
      "table" text primary key, partitions integer not null, after_key text[], copied bigint not null default 0
    )`,
    `insert into ${CONVERSION_SCHEMA}.conversion values ('${table.name}', ${partitions})`,
    ...newTableStatements(table, partitions),
    ...mirrorStatements(table),
  ];
}

/** Name of the new table before it takes the place of the old one. */
export function newName({ name }: Pick<TableDefinition, 'name'>): string {
  return `${CONVERSION_SCHEMA}.${name}`;
}

/** Statements that create the new table with its keys, indexes and privileges. */
function newTableStatements(table: TableDefinition, partitions: number): string[] {
  const { name, keyName, keyDefinition, indexes, grants, options } = table;
  const next = newName(table);
  const like = `create table ${next} (like ledger.${name} including all excluding indexes)`;
  const storage = options.length === 0 ? '' : ` with (${options.join(', ')})`;
  const created =
    partitions === 1
      ? [like + storage]
      : [
          `create schema if not exists ${PARTITIONS_SCHEMA}`,
          `${like} partition by hash (campaign_id)`,
          ...Array.from(
            { length: partitions },
            (_, i) => `create table ${PARTITIONS_SCHEMA}.${name}_${partitions}_${i}
              partition of ${next} for values with (modulus ${partitions}, remainder ${i})${storage}`,
          ),
        ];
  return [
    ...created,
    `alter table ${next} add constraint ${keyName} ${keyDefinition}`,
    ...indexes.map((definition) => onTable(definition, name, next)),
    ...grants.map(
      ({ privilege, role, grantable }) =>
        `grant ${privilege} on ${next} to ${role}${grantable ? ' with grant option' : ''}`,
    ),
  ];
}

/** The definition of an index of a table of the ledger, for another table. */
function onTable(definition: string, name: string, target: string): string {
  const found = new RegExp(` ON (ONLY )?ledger\\.${name} `);
  if (!found.test(definition)) throw new Error(`not an index of ledger.${name}: ${definition}`);
  return definition.replace(found, ` ON ${target} `);
}

/**
 * Triggers on the old table. Every statement that changes it changes the new table in the same transaction, so that
 * both are equal in every snapshot, as far as rows are copied.
 *
 * A deletion waits for the batch that is being copied, which may hold the row: the batch began before the deletion, so
 * it would add the row again. See `copyRemainingRows`.
 */
function mirrorStatements(table: TableDefinition): string[] {
  const { name, columns, key } = table;
  const next = newName(table);
  const keys = key.map((column) => column.name);
  const others = columns.filter((column) => !keys.includes(column));
  const names = columns.join(', ');
  const set = others.map((column) => `${column} = excluded.${column}`).join(', ');
  const onConflict = others.length === 0 ? 'do nothing' : `do update set ${set}`;
  const same = keys.map((column) => `stored.${column} = gone.${column}`).join(' and ');
  const functionOf = (what: string, body: string) => `
    create function ${CONVERSION_SCHEMA}.${what}() returns trigger language plpgsql
    set enable_seqscan to off as $body$ begin ${body} return null; end $body$`;
  const trigger = (event: string, transition: string, what: string) => `
    create trigger conversion_${event} after ${event} on ledger.${name} ${transition}
    for each statement execute function ${CONVERSION_SCHEMA}.${what}()`;
  return [
    functionOf(
      'write_rows',
      `insert into ${next} (${names}) select ${names} from written on conflict (${keys.join(', ')}) ${onConflict};`,
    ),
    functionOf(
      'delete_rows',
      `perform pg_advisory_xact_lock_shared(${advisoryLocks.partitionCopy});
       delete from ${next} stored using gone where ${same};`,
    ),
    functionOf(
      'refuse_truncate',
      `raise exception 'ledger.${name} is being partitioned: finish that, or cancel it, before it is truncated';`,
    ),
    trigger('insert', 'referencing new table as written', 'write_rows'),
    trigger('update', 'referencing new table as written', 'write_rows'),
    trigger('delete', 'referencing old table as gone', 'delete_rows'),
    trigger('truncate', '', 'refuse_truncate'),
  ];
}

/**
 * Statements that put the new table in the place of the old one, and drop that. Indexes and constraints keep their names.
 * The old table is dropped without `cascade`: if something unknown depends on it, nothing is changed.
 * @param views definitions of the views that read the table, by name, in which every name has its schema.
 */
export function replaceStatements(
  { name }: Pick<TableDefinition, 'name'>,
  views: ReadonlyMap<string, string>,
): string[] {
  return [
    `create schema ${REPLACED_SCHEMA}`,
    `alter table ledger.${name} set schema ${REPLACED_SCHEMA}`,
    `alter table ${newName({ name })} set schema ledger`,
    ...[...views].map(([view, definition]) => `create or replace view ${view} as ${definition}`),
    `drop table ${REPLACED_SCHEMA}.${name}`,
    `drop schema ${REPLACED_SCHEMA}`,
    ...endStatements,
  ];
}

/** Statements that remove what only a conversion needs. Triggers of the old table go with their functions. */
export const endStatements = [`drop schema ${CONVERSION_SCHEMA} cascade`] as const;
