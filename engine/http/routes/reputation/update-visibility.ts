import { isReservedHandle } from '../../../core/reserved-handles.ts';
import {
  changeProfile,
  HANDLE_RESERVED_DAYS,
  type HandleRefusal,
  MAX_HANDLES_GIVEN_UP,
} from '../../../db/commerce/change-profile.ts';
import { requireConfirmation } from '../../auth/confirmation.ts';
import { conflict, invalidField, unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { answerOwnProfile } from '../../resources/reputation/answer-profile.ts';

/**
 * `reputation.updateVisibility`: changes the caller's public profile, with immediate effect. A released
 * handle is reserved for its last owner for a while.
 */
export const updateVisibility: Handler<'reputation.updateVisibility'> = async (
  { visibility, handle, displayName, confirmationToken },
  deps,
  { session },
) => {
  if (typeof handle === 'string' && isReservedHandle(handle)) {
    const message = 'is reserved for the service: choose another one';
    throw invalidField('handle', message);
  }
  await requireConfirmation(deps, session, confirmationToken);
  const change = { address: session.address, visibility, handle, displayName };
  const changed = await changeProfile(deps.pool, change, new Date(deps.clock()));
  if (typeof changed === 'string') throw refusalOf(changed, handle ?? '');
  return await answerOwnProfile(deps, session.address);
};

function refusalOf(why: HandleRefusal, handle: string): Error {
  switch (why) {
    case 'taken':
      return conflict(`The handle ${handle} belongs to another account: choose another one.`);
    case 'kept':
      return conflict(
        `Another account had the handle ${handle} in the last ${HANDLE_RESERVED_DAYS} days: choose another one.`,
      );
    case 'too_many_changes':
      return unprocessable(
        `You gave up ${MAX_HANDLES_GIVEN_UP} handles in the last ${HANDLE_RESERVED_DAYS} days: keep this one, or wait.`,
      );
  }
}
