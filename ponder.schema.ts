import { onchainTable, primaryKey } from 'ponder';

/**
 * The canonical log: one append-only row per event of the contract (docs/how-it-works/architecture.md#where-data-lives).
 *
 * Block and log number an event, and sort events in the order of the chain. `transactionIndex` is the one of Ponder's
 * `event.id`, which the digest covers (docs/reference/digest.md). `args` is encoded by `src/encode.ts`. There is no
 * second index: Ponder drops those in recovery. Columns of a fixed length come first, so that a row has no padding.
 */
export const chainEvent = onchainTable(
  'chain_event',
  (t) => ({
    blockNumber: t.int8({ mode: 'bigint' }).notNull(),
    blockTimestamp: t.int8({ mode: 'bigint' }).notNull(),
    transactionIndex: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    campaignId: t.bigint().notNull(),
    blockHash: t.hex().notNull(),
    transactionHash: t.hex().notNull(),
    name: t.text().notNull(),
    args: t.json().notNull(),
    /**
     * End of the calldata of a SaleRecorded's transaction if codes are attached to it, `0x` if none are (`src/calldata.ts`).
     * Null if that is not known: finalized history is loaded without transactions, and the calldata of another contract's
     * call is not this contract's.
     */
    calldataEnd: t.text(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.campaignId, table.blockNumber, table.logIndex] }),
  }),
);
