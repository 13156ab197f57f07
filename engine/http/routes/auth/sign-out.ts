import { endSession } from '../../../db/commerce/sessions.ts';
import { endedCookie } from '../../auth/cookie.ts';
import type { Handler } from '../../handler.ts';

/** `auth.signOut`: the token opens nothing from now on, wherever a copy of it is. */
export const signOut: Handler<'auth.signOut'> = async (_input, { pool }, { session }) => {
  await endSession(pool, session.address, session.id);
  return { data: { signedOut: true }, setCookie: endedCookie() };
};
