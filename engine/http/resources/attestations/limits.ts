import type { z } from 'zod';
import type { Reason } from '../../../contract/shapes/operation.ts';
import type { AttesterView } from '../../../db/read/operations/attesters.ts';
import { contractReason } from '../../render/contract-errors.ts';
import { isoTime } from '../../render/time.ts';

/** An attester at the settled block. */
export interface Attester extends AttesterView {
  /** Attested in the campaign on the day (UTC) of the next block, base units. */
  readonly attestedToday: bigint;
}

/**
 * Why the contract would refuse an attester's signature of a sale; `null` if its limits allow the sale by what is
 * settled.
 * @param now Unix seconds of the next block; `null` if the chain did not answer: then only the limit of one sale
 * is judged, because the others depend on the time.
 */
export function limitReason(
  { account, perOrder, daily, expiry, attestedToday }: Attester,
  amount: bigint,
  now: number | null,
): z.infer<typeof Reason> | null {
  if (now !== null && now >= expiry) {
    return explained(
      'AttesterNotAllowed',
      `The permission of ${account} ended at ${isoTime(expiry)}.`,
    );
  }
  if (amount > perOrder) {
    return explained(
      'AboveOrderLimit',
      `${account} may attest sales of at most ${perOrder} base units, and this one has ${amount}.`,
    );
  }
  if (now !== null && attestedToday + amount > daily) {
    return explained(
      'AboveDailyLimit',
      `${account} has attested ${attestedToday} of ${daily} base units, and this sale has ${amount}. Sales that are not settled yet are not counted here, and count in the contract.`,
    );
  }
  return null;
}

function explained(
  error: Parameters<typeof contractReason>[0],
  values: string,
): z.infer<typeof Reason> {
  const { message } = contractReason(error);
  return { error, message: `${message} ${values}` };
}
