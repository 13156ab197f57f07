import { z } from 'zod';
import type { BuyerDetails } from '../core/buyer-details.ts';
import type { SecretKeys } from './keys.ts';
import { keyMark, seal, unseal } from './seal.ts';

const Stored = z.object({
  email: z.string().nullable(),
  address: z
    .object({
      name: z.string(),
      line1: z.string(),
      line2: z.string(),
      city: z.string(),
      region: z.string(),
      postalCode: z.string(),
      country: z.string(),
    })
    .nullable(),
  note: z.string().nullable(),
});

/** The order that details belong to. */
export interface DetailsOrder {
  readonly intentId: string;
  /** Lower case. */
  readonly buyer: string;
}

/** Details that were encrypted. */
interface SealedDetails {
  readonly sealed: Uint8Array;
  /** Key that encrypted them, by `keyMark`. */
  readonly sealedBy: string;
}

const PURPOSE = 'buyer details';

/** Encrypts details for one order of one buyer: copied to another order, they do not open. */
export function sealDetails(
  details: BuyerDetails,
  keys: SecretKeys,
  order: DetailsOrder,
): SealedDetails {
  const sealed = seal(JSON.stringify(details), keys, PURPOSE, boundTo(order));
  return { sealed, sealedBy: markOfDetails(keys) };
}

/** Details of an order; `null` if their key was replaced too long ago. */
export function openDetails(
  row: DetailsOrder & Pick<SealedDetails, 'sealed'>,
  keys: SecretKeys,
): BuyerDetails | null {
  const opened = unseal(row.sealed, keys, PURPOSE, boundTo(row));
  return opened === undefined ? null : Stored.parse(JSON.parse(opened.text));
}

/** Name of the key that encrypts details now. */
export function markOfDetails(keys: SecretKeys): string {
  return keyMark(keys, PURPOSE);
}

function boundTo({ intentId, buyer }: DetailsOrder): string {
  return `${intentId} ${buyer}`;
}
