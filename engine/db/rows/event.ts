import type { DiscrepancyKind, EntryKind } from '../../core/fold/index.ts';
import {
  address,
  amount,
  as,
  byteAddress,
  byteHash,
  hex,
  id,
  integer,
  nullable,
  rowCodec,
  seconds,
  small,
  text,
} from '../row.ts';

/** The transaction of an event: columns of `ledger.journal`, `ledger.sale` and `ledger.node`. */
export const transactionRow = rowCodec({
  hash: byteHash.from('transaction_hash'),
  blockNumber: integer,
  timestamp: seconds.from('block_timestamp'),
});

/** The position of an event on the chain, by which an indexed fact is found again. */
export const positionRow = rowCodec({ blockNumber: integer, logIndex: small, blockHash: hex });

/** An account's balances in a campaign after an entry, in base units: columns of `ledger.entry`. */
export const balancesAfterRow = rowCodec({
  reserved: amount.from('reserved_after'),
  claimable: amount.from('claimable_after'),
  claimed: amount.from('claimed_after'),
  refunded: amount.from('refunded_after'),
  reversed: amount.from('reversed_after'),
});

/** A movement of an account's money, with the balances after it: columns of `ledger.entry`. */
export const entryRow = rowCodec({
  kind: as<EntryKind>(),
  account: byteAddress,
  saleId: nullable(id),
  level: nullable(small),
  nodeId: nullable(id),
  amount,
  after: balancesAfterRow.fields,
  heldAfter: nullable(amount),
});

/** An amount that differs from what settlement expected: columns of `ledger.discrepancy`. */
export const discrepancyRow = rowCodec({
  kind: as<DiscrepancyKind>(),
  saleId: nullable(id),
  level: nullable(small),
  account: nullable(address),
  expected: text,
  actual: text,
});
