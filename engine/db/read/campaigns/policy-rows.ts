import type { Sql } from '../../connection.ts';
import { byteHash, integer, rowCodec, seconds, type View } from '../../row.ts';
import { policyRow } from '../../rows/campaign.ts';
import type { transactionRow } from '../../rows/event.ts';

/** A transaction and the block that it is in. */
export type TransactionLocation = View<typeof transactionRow>;

/** Row codec of `RegisteredPolicy`. */
export const registeredPolicy = rowCodec({
  ...policyRow.fields,
  registration: {
    hash: byteHash.from('registered_transaction'),
    blockNumber: integer.from('registered_block'),
    timestamp: seconds.from('registered_timestamp'),
  },
});

/** A version of a policy, and the transaction that registered it. */
export type RegisteredPolicy = View<typeof registeredPolicy>;

/** Columns of `registeredPolicy`: `policy`, and `registered`, the row of `journal` of its PolicyScheduled. */
export function policyColumns(sql: Sql) {
  return sql`
    ${policyRow.columns(sql, 'policy')},
    registered.transaction_hash as registered_transaction,
    registered.block_number as registered_block,
    registered.block_timestamp as registered_timestamp`;
}
