import { closeMerchant } from '../../../db/commerce/close-merchant.ts';
import { requireConfirmation } from '../../auth/confirmation.ts';
import { unprocessable } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { closeBlockers } from '../../render/close-blockers.ts';
import { requireMerchant } from '../../resources/merchants/own-merchant.ts';

/**
 * `merchants.close`: requires the slug and a fresh signature. While obligations are open, nothing changes
 * and the response lists them. Closing again returns the time of the first close.
 */
export const close: Handler<'merchants.close'> = async (
  input,
  deps,
  { merchant: address, session },
) => {
  const merchant = await requireMerchant(deps.pool, address);
  if (input.slug !== merchant.slug) {
    throw unprocessable('This is not the slug of your profile.', [
      { path: 'slug', message: `must be ${merchant.slug}, the slug of the profile to close` },
    ]);
  }
  await requireConfirmation(deps, session, input.confirmationToken);
  const { pool, clock } = deps;
  const { closedAt, stake, head } = await closeMerchant(pool, address, clock);
  return {
    data: {
      closed: closedAt !== null,
      closedAt: closedAt?.toISOString() ?? null,
      blockers: closedAt === null ? closeBlockers(stake) : [],
    },
    chain: chainMeta(deps.deployment, head),
  };
};
