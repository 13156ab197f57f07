/**
 * Every table of schema `ledger`, which settlement owns. Folded tables are in the order in which a rollback and a
 * replay take them.
 */
import type { DescribedTable, Table } from './table.ts';

/**
 * A table with rows of single campaigns that follow from the chain's events alone: written by a batch, restored by a
 * rollback and compared by a replay. Its primary key begins with `campaign_id`.
 */
export interface FoldedTable extends Table {
  /**
   * Subject of a row: one `event` by its `seq`; one `saleEvent`, likewise, but found by its sale; the
   * newest state of one `sale`, which only events of that sale change; or that of the whole `campaign`.
   */
  readonly of: 'event' | 'saleEvent' | 'sale' | 'campaign';
  /** Columns of the primary key after `campaign_id`. */
  readonly key: readonly string[];
}

const OF_INDEXER_SCHEMA = 'about a schema of the indexer';

export const ledger = {
  journal: {
    of: 'event',
    key: ['seq'],
    bytes: ['block_hash', 'transaction_hash', 'digest'],
  },
  entry: { of: 'event', key: ['seq', 'ordinal'], bytes: ['account'] },
  discrepancy: { of: 'event', key: ['seq', 'ordinal'] },
  missed_reward: {
    of: 'saleEvent',
    key: ['sale_id', 'level', 'reason'],
    bytes: ['recipient'],
  },
  sale_version: { of: 'saleEvent', key: ['sale_id', 'seq'] },
  attestation: { of: 'saleEvent', key: ['sale_id'] },
  node: {
    of: 'event',
    key: ['node_id'],
    bytes: ['owner', 'transaction_hash'],
  },
  policy: { of: 'event', key: ['version'] },
  price: { of: 'event', key: ['sku_hash', 'seq'] },
  permission: { of: 'event', key: ['role', 'account', 'seq'] },
  attester_day: { of: 'event', key: ['seq'] },
  credit: { of: 'event', key: ['account', 'seq'] },
  sale: {
    of: 'sale',
    key: ['sale_id'],
    bytes: ['buyer', 'order_key', 'sku_hash', 'transaction_hash', 'calldata_end'],
  },
  sale_level: {
    of: 'sale',
    key: ['sale_id', 'level'],
    bytes: ['recipient'],
  },
  bucket: { of: 'campaign', key: ['account'], bytes: ['account'] },
  sale_day: { of: 'campaign', key: ['day', 'linked'] },
  node_day: { of: 'campaign', key: ['day'] },
  depth_day: { of: 'campaign', key: ['day', 'depth'] },
  cohort_week: { of: 'campaign', key: ['join_day', 'week'] },
  account_sum: { of: 'campaign', key: ['account'], bytes: ['account'] },
  campaign: { of: 'campaign', key: [] },

  cursor: { what: 'How far each campaign is folded.' },
  merchant_partner: {
    what: 'Sums of an account over all campaigns of a merchant.',
    bytes: ['account'],
  },
  deployment: { what: 'The one chain and contract of this ledger.' },
  head: { what: 'The heads that the feeder saw, and the settled block.' },
  finality_tag: { what: 'A row if the chain ever returned its final block.' },
  audit: { what: 'Results of audits.' },
  audit_finding: { what: 'Violations that audits found.' },
  change: { what: 'What became readable or was retracted, by number.' },
  published_seq: {
    what: 'The event up to which changes of a campaign are published.',
    formerName: 'told',
  },
  stale_publication: {
    what: 'Campaigns whose rollback or late events are not published yet.',
    formerName: 'taken_back',
  },
  retracted_sale: {
    what: 'Sales that lost events to a rollback.',
    bytes: ['buyer', 'order_key', 'sku_hash'],
  },

  checked_head: { what: 'How far facts are checked.', notInBackup: OF_INDEXER_SCHEMA },
  checked_block: { what: 'Checked blocks that are not final.', notInBackup: OF_INDEXER_SCHEMA },
  checked_log: { what: 'Checked facts that are not final.', notInBackup: OF_INDEXER_SCHEMA },
  behind: { what: 'Campaigns with facts to fold.', notInBackup: OF_INDEXER_SCHEMA },
  refused_campaign: {
    what: 'Ids that the contract cannot have given.',
    notInBackup: OF_INDEXER_SCHEMA,
  },
  leader: {
    what: 'The worker that leads.',
    notInBackup: 'the worker that leads takes a new row',
  },
  rpc_health: {
    what: 'Health of the RPCs, as the leading worker and the indexer see it.',
    notInBackup: 'written again within a minute',
  },
  feeder_error: {
    what: 'Errors of the feeder that last.',
    formerName: 'trouble',
    notInBackup: 'written again at the next tick',
  },
} as const satisfies Readonly<Record<string, FoldedTable | DescribedTable>>;

type NameOf<Shape> = {
  [Name in keyof typeof ledger]: (typeof ledger)[Name] extends Shape ? Name : never;
}[keyof typeof ledger];

/** A table whose rows a batch makes from its events, rather than from rows in the database. */
export type AppendedTable = NameOf<{ readonly of: 'event' | 'saleEvent' | 'sale' }> | 'campaign';

/** A folded table, with its name. */
export interface LedgerTable extends FoldedTable {
  readonly name: string;
}

/** All folded tables. */
export const foldedTables: readonly LedgerTable[] = Object.entries<FoldedTable | DescribedTable>(
  ledger,
).flatMap(([name, table]) => ('key' in table ? [{ name, ...table }] : []));
