import type { Sql } from '../../engine/db/connection.ts';

/** Definition of a table as PostgreSQL's catalogs have it, without what depends on its partitions. */
export interface TableCatalog {
  readonly columns: readonly string[];
  readonly constraints: readonly string[];
  readonly indexes: readonly string[];
  readonly triggers: readonly string[];
  readonly grants: readonly string[];
}

/** Reads the definition of a table of the ledger. */
export async function tableCatalog(sql: Sql, name: string): Promise<TableCatalog> {
  const table = `ledger.${name}`;
  const [row] = await sql<TableCatalog[]>`
    select
      array(
        select format('%s %s %s %s', attname, format_type(atttypid, atttypmod), attnotnull,
          (select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = attrelid and adnum = attnum))
        from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
        order by attnum
      ) as columns,
      array(
        select format('%s %s', conname, pg_get_constraintdef(oid)) from pg_constraint
        where conrelid = ${table}::regclass order by 1
      ) as constraints,
      array(
        select replace(indexdef, ' ON ONLY ', ' ON ') from pg_indexes
        where schemaname = 'ledger' and tablename = ${name} order by 1
      ) as indexes,
      array(
        select tgname::text from pg_trigger where tgrelid = ${table}::regclass order by 1
      ) as triggers,
      array(
        select format('%s %s', grantee, privilege_type) from information_schema.role_table_grants
        where table_schema = 'ledger' and table_name = ${name} order by 1
      ) as grants`;
  if (row === undefined) throw new Error(`no table ${name}`);
  return row;
}
