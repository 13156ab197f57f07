/** A table with rows of single campaigns that follow from the chain's events alone. */
export interface LedgerTable {
  readonly name: string;
  /** Columns of the primary key after `campaign_id`, with which it begins. */
  readonly key: readonly string[];
  /**
   * Subject of a row: one `event` by its `seq`; one `saleEvent`, likewise, but found by its sale; the
   * newest state of one `sale`, which only events of that sale change; or that of the whole `campaign`.
   */
  readonly of: 'event' | 'saleEvent' | 'sale' | 'campaign';
}

/**
 * Every table of a campaign's rows in the schema `ledger`, except `cursor`: written by a batch, restored by a
 * rollback and compared by a replay. `test/db/ledger-tables.test.ts` compares it with the database.
 */
export const ledgerTables = [
  { name: 'journal', key: ['seq'], of: 'event' },
  { name: 'entry', key: ['seq', 'ordinal'], of: 'event' },
  { name: 'discrepancy', key: ['seq', 'ordinal'], of: 'event' },
  { name: 'missed_reward', key: ['sale_id', 'level', 'reason'], of: 'saleEvent' },
  { name: 'sale_version', key: ['sale_id', 'seq'], of: 'saleEvent' },
  { name: 'attestation', key: ['sale_id'], of: 'saleEvent' },
  { name: 'node', key: ['node_id'], of: 'event' },
  { name: 'policy', key: ['version'], of: 'event' },
  { name: 'price', key: ['sku_hash', 'seq'], of: 'event' },
  { name: 'permission', key: ['role', 'account', 'seq'], of: 'event' },
  { name: 'credit', key: ['account', 'seq'], of: 'event' },
  { name: 'sale', key: ['sale_id'], of: 'sale' },
  { name: 'sale_level', key: ['sale_id', 'level'], of: 'sale' },
  { name: 'bucket', key: ['account'], of: 'campaign' },
  { name: 'sale_day', key: ['day', 'linked'], of: 'campaign' },
  { name: 'node_day', key: ['day'], of: 'campaign' },
  { name: 'depth_day', key: ['day', 'depth'], of: 'campaign' },
  { name: 'cohort_week', key: ['join_day', 'week'], of: 'campaign' },
  { name: 'account_sum', key: ['account'], of: 'campaign' },
  { name: 'campaign', key: [], of: 'campaign' },
] as const satisfies readonly LedgerTable[];

/** A table whose rows a batch makes from its events, rather than from rows in the database. */
export type AppendedTable =
  | Exclude<(typeof ledgerTables)[number], { readonly of: 'campaign' }>['name']
  | 'campaign';
