import type { SessionSql, Sql } from '../connection.ts';
import { withLockRetries } from '../lock-retries.ts';

const CREATE =
  /^\s*create (unique )?index concurrently (?:if not exists )?(\w+)\s+on (ledger\.\w+)\s+([^;]+);?\s*$/i;
const DROP = /^\s*drop index concurrently (?:if exists )?(ledger\.\w+);?\s*$/i;

/**
 * Runs a statement of an online migration that PostgreSQL cannot run concurrently on a partitioned table: the index of
 * each partition is built concurrently, one after the other, and then attached to that of the table, which is
 * valid when all are. It can be repeated after it was interrupted.
 * @returns false if the statement is not about a partitioned table, and so was not run.
 */
export async function runOnPartitions(
  session: SessionSql,
  statement: string,
  lockTimeout: string,
): Promise<boolean> {
  const text = statement.replace(/^\s*--.*$/gm, '');
  const [, unique = '', index = '', table = '', rest = ''] = CREATE.exec(text) ?? [];
  const [, dropped = ''] = DROP.exec(text) ?? [];
  const locked = async (change: string) =>
    await withLockRetries(session, { timeout: lockTimeout, onWait: () => {} }, async (sql) => {
      await sql.unsafe(change);
    });
  if (dropped !== '' && (await isPartitioned(session, dropped))) {
    await locked(`drop index if exists ${dropped}`);
    return true;
  }
  if (table === '' || !(await isPartitioned(session, table))) return false;
  await locked(`create ${unique}index if not exists ${index} on only ${table} ${rest}`);
  for (const { partition, attached } of await partitionsOf(session, table, `ledger.${index}`)) {
    if (attached) continue;
    const own = `${partition.split('.')[1]}_${index}`;
    await session.unsafe(
      `create ${unique}index concurrently if not exists ${own} on ${partition} ${rest}`,
    );
    await locked(`alter index ledger.${index} attach partition ${partition.split('.')[0]}.${own}`);
  }
  return true;
}

/** True for a partitioned table, and for an index of one. */
async function isPartitioned(sql: Sql, name: string): Promise<boolean> {
  const [row] = await sql`
    select from pg_class where oid = to_regclass(${name}) and relkind in ('p', 'I')`;
  return row !== undefined;
}

/** Partitions of a table, and whether they have their part of an index of it. */
async function partitionsOf(
  sql: Sql,
  table: string,
  index: string,
): Promise<{ partition: string; attached: boolean }[]> {
  return await sql<{ partition: string; attached: boolean }[]>`
    select format('%I.%I', part.relnamespace::regnamespace::text, part.relname) as partition,
      exists (
        select from pg_index i join pg_inherits on inhrelid = i.indexrelid
        where i.indrelid = part.oid and inhparent = to_regclass(${index})
      ) as attached
    from pg_partition_tree(${table}::regclass) tree join pg_class part on part.oid = tree.relid
    where tree.isleaf order by part.oid`;
}
