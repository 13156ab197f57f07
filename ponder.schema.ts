import { onchainTable, primaryKey } from 'ponder';

/**
 * The canonical log: one append-only row per event of the contract (docs/how-it-works/architecture.md#where-data-lives).
 *
 * `id` is Ponder's `event.id`: 75 digits (timestamp 10, chain 16, block 16, transaction 16, type 1,
 * event 16), a pure function of the chain, so that its text order is the order of the chain.
 * `args` is encoded by `src/encode.ts`. There is no second index: Ponder drops those in recovery.
 */
export const chainEvent = onchainTable(
  'chain_event',
  (t) => ({
    campaignId: t.bigint().notNull(),
    id: t.text().notNull(),
    blockNumber: t.int8({ mode: 'bigint' }).notNull(),
    blockHash: t.hex().notNull(),
    blockTimestamp: t.int8({ mode: 'bigint' }).notNull(),
    transactionHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
    name: t.text().notNull(),
    args: t.json().notNull(),
    /**
     * End of the calldata of a SaleRecorded's transaction if codes are attached to it, `0x` if none are (`src/calldata.ts`).
     * Null if that is not known: finalized history is loaded without transactions, and the calldata of another contract's
     * call is not this contract's.
     */
    calldataEnd: t.text(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.campaignId, table.id] }) }),
);
