import { endSession } from '../../../db/commerce/sessions.ts';
import { endedCookie } from '../../auth/cookie.ts';
import { notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';

/** `auth.revokeSession`: ends one of the caller's own sessions. */
export const revokeSession: Handler<'auth.revokeSession'> = async ({ id }, { pool }, caller) => {
  const { session } = caller;
  if (!(await endSession(pool, session.address, id))) {
    throw notFound(`You have no session ${id}.`);
  }
  return { data: { revoked: true }, ...(id === session.id ? { setCookie: endedCookie() } : {}) };
};
