import type { DetailKind } from '../../core/buyer-details.ts';
import { address, as, bytes, date, rowCodec, text, type View } from '../row.ts';

/** Row codec of `StoredDetails`. */
export const detailsRow = rowCodec({
  intentId: text,
  buyer: address,
  /** Lower case. */
  merchant: address,
  sealed: bytes,
  /** Key that encrypted them, by `keyMark`. */
  sealedBy: text,
  kinds: as<readonly DetailKind[]>(),
  givenAt: date,
  updatedAt: date,
});

/** Details that a buyer gave with an order, encrypted. */
export type StoredDetails = View<typeof detailsRow>;
