import type { Address } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import {
  type Person,
  type PersonalTable,
  type PersonalTableName,
  personalTables,
} from '../../tables/commerce.ts';

/** Position in an export: the last row of a page. */
export interface ExportCursor {
  readonly table: PersonalTableName;
  readonly key: string;
}

/** A stored row of an account. */
export interface ExportedRow extends ExportCursor {
  /** Its columns without secrets; every number is text. */
  readonly record: Readonly<Record<string, unknown>>;
}

/**
 * The account of an export or a deletion. What belongs to its merchant profile is its own only if it owns the
 * profile's team: after a transfer it is the new owner's.
 */
export async function personOf(sql: Sql, account: Address): Promise<Person> {
  const others = await sql`
    select 1 from commerce.team_member
    where merchant = ${account} and role = 'owner' and account <> ${account}`;
  return { account, merchant: others.length === 0 ? account : null };
}

/**
 * Rows that the service stores about an account, table by table: one statement.
 * @param limit rows at most; one more is returned if there are more.
 */
export async function exportRows(
  sql: Sql,
  person: Person,
  { after, limit }: { readonly after: ExportCursor | undefined; readonly limit: number },
): Promise<ExportedRow[]> {
  const first =
    after === undefined ? 0 : personalTables.findIndex(([name]) => name === after.table);
  const parts = personalTables.slice(first).map(([name, table], index) => {
    const isStarted = after !== undefined && index === 0;
    const beyond = isStarted ? sql`and (${table.key(sql)}) collate "C" > ${after.key}` : sql``;
    return sql`(
      select ${first + index}::int as position, ${name}::text as name,
        (${table.key(sql)})::text collate "C" as key,
        commerce.exported(to_jsonb(stored) - ${hiddenColumns(table)}::text[]) as record
      from ${sql(`commerce.${name}`)} stored
      where ${table.belongsTo(sql, person)} ${beyond}
      order by (${table.key(sql)})::text collate "C" limit ${limit + 1}
    )`;
  });
  const all = parts.reduce<Fragment>(
    (union, part, index) => (index === 0 ? part : sql`${union} union all ${part}`),
    sql``,
  );
  const rows = await sql<
    { name: PersonalTableName; key: string; record: Record<string, unknown> }[]
  >`
    select name, key, record from (${all}) rows
    order by position, key collate "C" limit ${limit + 1}`;
  return rows.map(({ name, key, record }) => ({ table: name, key, record }));
}

function hiddenColumns({ secret = '', omitted = '' }: PersonalTable): string[] {
  return `${secret} ${omitted}`.split(' ').filter((column) => column !== '');
}
