import { endSession } from '../../../db/commerce/sessions.ts';
import { endedCookie } from '../../auth/cookie.ts';
import { NotFoundError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';

/** `auth.revokeSession`: ends a session of one's own; somebody else's is not there. */
export const revokeSession: Handler<'auth.revokeSession'> = async ({ id }, { pool }, caller) => {
  const { session } = caller;
  if (!(await endSession(pool, session.address, id))) {
    throw new NotFoundError(`You have no session ${id}.`);
  }
  return { data: { revoked: true }, ...(id === session.id ? { setCookie: endedCookie() } : {}) };
};
