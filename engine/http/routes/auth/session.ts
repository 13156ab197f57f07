import { describeSession } from '../../auth/session.ts';
import type { Handler } from '../../handler.ts';

/** `auth.session`: who is signed in. A page that was loaded anew gets its CSRF token here. */
export const session: Handler<'auth.session'> = async (_input, deps, caller) => ({
  data: await describeSession(deps, caller.session),
});
