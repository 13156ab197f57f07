import type { Fragment, Sql } from '../../connection.ts';

/**
 * Column `version`: names one write of `ledger.head`. The time is part of it, because two servers that were one once
 * may both count on. `null` before the first start. It needs `ledger.head` in the statement.
 */
export function headVersion(sql: Sql): Fragment {
  return sql`head.looks || ' ' || extract(epoch from head.updated_at) as version`;
}
