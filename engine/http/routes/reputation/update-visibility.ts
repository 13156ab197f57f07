import { changeProfile } from '../../../db/commerce/change-profile.ts';
import { requireConfirmation } from '../../auth/confirmation.ts';
import type { Handler } from '../../handler-types.ts';
import { answerOwnProfile } from '../../resources/reputation/answer-profile.ts';
import {
  nameRefusal,
  requireOneScript,
  requireUnreserved,
} from '../../resources/reserved-names.ts';

/**
 * `reputation.updateVisibility`: changes the caller's public profile, with immediate effect. A released
 * handle is reserved for its last owner for a while.
 */
export const updateVisibility: Handler<'reputation.updateVisibility'> = async (
  { visibility, handle, displayName, confirmationToken },
  deps,
  { account, session },
) => {
  requireUnreserved('handle', handle);
  requireUnreserved('displayName', displayName);
  requireOneScript('displayName', displayName);
  await requireConfirmation(deps, session, confirmationToken);
  const change = { address: account, visibility, handle, displayName };
  const changed = await changeProfile(deps.pool, change, new Date(deps.clock()));
  if (typeof changed === 'string') throw nameRefusal('handle', handle ?? '', changed);
  return await answerOwnProfile(deps, account);
};
