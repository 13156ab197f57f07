import { endSession } from '../../../db/commerce/sessions.ts';
import { endedCookie } from '../../auth/cookie.ts';
import type { Handler } from '../../handler-types.ts';

/** `auth.signOut`: ends the session, so that every copy of its token is useless. */
export const signOut: Handler<'auth.signOut'> = async (_input, { pool }, { session }) => {
  await endSession(pool, session.address, session.id);
  return { data: { signedOut: true }, setCookie: endedCookie() };
};
