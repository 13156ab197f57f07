import { isReservedHandle } from '../../../core/reserved-handles.ts';
import {
  changeProfile,
  HANDLE_KEPT_DAYS,
  HANDLES_GIVEN_UP_MOST,
  type HandleRefusal,
} from '../../../db/commerce/change-profile.ts';
import { requireConfirmation } from '../../auth/confirmation.ts';
import { ConflictError, UnprocessableError, ValidationError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';
import { mine } from './mine.ts';

/**
 * `reputation.updateVisibility`: at once and everywhere, for nothing keeps a copy of a profile. A
 * handle that is given up is kept from everybody else for a while.
 */
export const updateVisibility: Handler<'reputation.updateVisibility'> = async (
  { visibility, handle, displayName, confirmationToken },
  deps,
  caller,
) => {
  const { session } = caller;
  if (typeof handle === 'string' && isReservedHandle(handle)) {
    const message = 'is kept for the service: choose another one';
    throw new ValidationError([{ path: 'handle', message }]);
  }
  await requireConfirmation(deps, session, confirmationToken);
  const change = { address: session.address, visibility, handle, displayName };
  const changed = await changeProfile(deps.pool, change, new Date(deps.clock()));
  if (typeof changed === 'string') throw refusalOf(changed, handle ?? '');
  return await mine({}, deps, caller);
};

function refusalOf(why: HandleRefusal, handle: string): Error {
  switch (why) {
    case 'taken':
      return new ConflictError(`The handle ${handle} is another account’s: choose another one.`);
    case 'kept':
      return new ConflictError(
        `Another account had the handle ${handle} in the last ${HANDLE_KEPT_DAYS} days: choose another one.`,
      );
    case 'too_many_changes':
      return new UnprocessableError(
        `You gave up ${HANDLES_GIVEN_UP_MOST} handles in the last ${HANDLE_KEPT_DAYS} days: keep this one, or wait.`,
      );
  }
}
