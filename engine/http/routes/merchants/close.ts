import { closeMerchant } from '../../../db/commerce/close-merchant.ts';
import { requireConfirmation } from '../../auth/confirmation.ts';
import { UnprocessableError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { requireMerchant } from '../../own-merchant.ts';
import { closeBlockers } from '../../render/close-blockers.ts';

/**
 * `merchants.close`: with the slug again and a fresh signature. While money is at stake nothing
 * changes, and the answer says what is open. Closing again answers when it was closed.
 */
export const close: Handler<'merchants.close'> = async (input, deps, { session }) => {
  const merchant = await requireMerchant(deps.pool, session.address);
  if (input.slug !== merchant.slug) {
    throw new UnprocessableError('This is not the slug of your profile.', [
      { path: 'slug', message: `must be ${merchant.slug}, the slug of the profile to close` },
    ]);
  }
  await requireConfirmation(deps, session, input.confirmationToken);
  const { pool, clock } = deps;
  const { closedAt, stake, head } = await closeMerchant(pool, session.address, clock);
  return {
    data: {
      closed: closedAt !== null,
      closedAt: closedAt?.toISOString() ?? null,
      blockers: closedAt === null ? closeBlockers(stake) : [],
    },
    chain: chainMeta(deps.deployment, head),
  };
};
