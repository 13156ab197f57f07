import type { Fragment, Sql } from '../../connection.ts';

/** Column `version`: the write of `ledger.head`, by its time. `null` before the first start. The statement must read that table. */
export function headVersion(sql: Sql): Fragment {
  return sql`extract(epoch from head.updated_at)::text as version`;
}
