import type { Fragment, Sql } from '../connection.ts';
import type { PartitionableTable } from '../tables/ledger.ts';

/** A column of a primary key. */
export interface KeyColumn {
  readonly name: string;
  /** Type, as `format_type` names it. */
  readonly type: string;
}

/** A privilege of a role, other than the owner, on a table. */
interface Grant {
  readonly privilege: string;
  /** Quoted name, or `public`. */
  readonly role: string;
  readonly grantable: boolean;
}

/** A table of the ledger as the catalogs of PostgreSQL describe it. */
export interface TableDefinition {
  readonly name: PartitionableTable;
  /** Columns in their order, without dropped ones. */
  readonly columns: readonly string[];
  /** Primary key, in the order of its index. */
  readonly key: readonly KeyColumn[];
  /** Number of partitions; 1 if it is not partitioned. */
  readonly partitions: number;
  /** Name and definition of the primary key. */
  readonly keyName: string;
  readonly keyDefinition: string;
  /** `create index` statements of the other indexes. */
  readonly indexes: readonly string[];
  /** Storage parameters, such as `fillfactor=90`. */
  readonly options: readonly string[];
  readonly grants: readonly Grant[];
  /** Quoted names, with the schema, of views that read it. */
  readonly views: readonly string[];
  /** Bytes of the table with its indexes and partitions. */
  readonly bytes: number;
  /** Estimated number of rows. */
  readonly rows: number;
  /** Sentences about what a conversion would lose. */
  readonly blockers: readonly string[];
}

type Row = Omit<TableDefinition, 'bytes' | 'rows'> & {
  readonly bytes: string;
  readonly rows: number;
};

/** Reads how a table is defined. Names of relations in definitions have their schemas. */
export async function readTable(sql: Sql, name: PartitionableTable): Promise<TableDefinition> {
  const [row] = await sql<Row[]>`
    with target as (select * from pg_class where oid = ${`ledger.${name}`}::regclass),
    parts as (
      select oid as relid from target where relkind <> 'p'
      union all
      select relid from target cross join lateral pg_partition_tree(target.oid)
      where target.relkind = 'p' and isleaf
    ),
    pkey as (
      select c.*, i.indkey from target join pg_constraint c on c.conrelid = target.oid and c.contype = 'p'
      join pg_index i on i.indexrelid = c.conindid
    )
    select ${name} as name,
      array(
        select quote_ident(attname) from pg_attribute
        where attrelid = target.oid and attnum > 0 and not attisdropped order by attnum
      ) as columns,
      (
        select jsonb_agg(jsonb_build_object(
          'name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod)
        ) order by k.position)
        from pkey cross join lateral unnest(pkey.indkey::int2[]) with ordinality k (attnum, position)
        join pg_attribute a on a.attrelid = target.oid and a.attnum = k.attnum
      ) as key,
      case target.relkind when 'p' then (select count(*)::int from parts) else 1 end as partitions,
      (select conname from pkey) as "keyName",
      (select pg_get_constraintdef(oid) from pkey) as "keyDefinition",
      array(
        select pg_get_indexdef(indexrelid) from pg_index
        where indrelid = target.oid and not indisprimary order by 1
      ) as indexes,
      coalesce((
        select reloptions from pg_class
        where oid = coalesce((select min(relid::oid) from parts), target.oid)
      ), '{}') as options,
      (
        select coalesce(jsonb_agg(jsonb_build_object(
          'privilege', privilege_type,
          'role', case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
          'grantable', is_grantable
        )), '[]')
        from aclexplode(target.relacl) where grantee <> target.relowner
      ) as grants,
      (
        select coalesce(jsonb_agg(name order by name), '[]') from (
          select distinct format('%I.%I', v.relnamespace::regnamespace::text, v.relname) as name
          from ${dependentViews(sql)} and v.relkind = 'v'
        ) each
      ) as views,
      (select sum(pg_total_relation_size(relid)) from parts) as bytes,
      (select sum(greatest(reltuples, 0)) from pg_class where oid in (select relid from parts)) as rows,
      array(${blockersOf(sql)}) as blockers
    from target`;
  if (row === undefined) throw new Error(`there is no table ledger.${name}`);
  return { ...row, bytes: Number(row.bytes), rows: Number(row.rows) };
}

/** Views and materialized views `v` that read `target`, to select from; a condition may follow. */
function dependentViews(sql: Sql): Fragment {
  return sql`
    pg_depend d join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
    join pg_class v on v.oid = r.ev_class and v.oid <> d.refobjid
    where d.refclassid = 'pg_class'::regclass and d.refobjid = target.oid`;
}

/** A select of one sentence for each property of `target` that a conversion would lose. */
function blockersOf(sql: Sql): Fragment {
  return sql`
    select 'It has the foreign key ' || conname || '.' from pg_constraint
    where contype = 'f' and target.oid in (conrelid, confrelid) and conparentid = 0
    union all
    select 'It has the trigger ' || tgname || '.' from pg_trigger t join pg_proc f on f.oid = t.tgfoid
    where tgrelid = target.oid and not tgisinternal
      and f.pronamespace is distinct from to_regnamespace('ledger_conversion')
    union all
    select 'It has row-level security.' where target.relrowsecurity
    union all
    select 'It has privileges on columns.' where exists (
      select from pg_attribute where attrelid = target.oid and attacl is not null
    )
    union all
    select 'It has an identity or generated column.' where exists (
      select from pg_attribute where attrelid = target.oid and (attidentity <> '' or attgenerated <> '')
    )
    union all
    select 'It is published for logical replication.' where exists (
      select from pg_publication_rel where prrelid = target.oid
    )
    union all
    select 'It belongs to the role ' || pg_get_userbyid(relowner) || ': run this command as that role.'
    where pg_get_userbyid(target.relowner) <> current_user
    union all
    select 'The view ' || v.oid::regclass || ' is materialized, or has options.'
    from ${dependentViews(sql)} and (v.relkind <> 'v' or v.reloptions is not null)`;
}
