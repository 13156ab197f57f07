import type { SaleState } from '../../core/fold/index.ts';
import type { CapReason } from '../../core/split.ts';
import {
  amount,
  as,
  byteAddress,
  byteHash,
  id,
  integer,
  nullable,
  rowCodec,
  seconds,
  small,
} from '../row.ts';

/** Fields of a sale that later events change: columns of `ledger.sale` and `ledger.sale_version`. */
export const saleStateRow = rowCodec({
  state: as<SaleState>(),
  refundedTotal: amount,
  finalizedAt: nullable(seconds),
});

/** A sale without its levels and its transaction: columns of `ledger.sale`. */
export const saleRow = rowCodec({
  saleId: id,
  buyer: byteAddress,
  nodeId: nullable(id),
  amount,
  pool: amount,
  policyVersion: small,
  holdUntil: seconds,
  orderKey: byteHash,
  skuHash: byteHash,
  ...saleStateRow.fields,
});

/** Amounts of a level that events change, base units: columns of `ledger.sale_level`. */
export const levelStateRow = rowCodec({
  reserved: amount,
  released: amount,
  vested: amount,
  reversed: amount,
  vestedSeq: nullable(integer),
});

/** A rewarded level of a sale: columns of `ledger.sale_level`. */
export const levelRow = rowCodec({
  level: small,
  nodeId: id,
  recipient: byteAddress,
  share: amount,
  ...levelStateRow.fields,
});

/** Reward that a level missed because of a cap: columns of `ledger.missed_reward`. */
export const missedRewardRow = rowCodec({
  saleId: id,
  level: small,
  reason: as<CapReason>(),
  nodeId: id,
  recipient: byteAddress,
  amount,
});
