import { describeSession } from '../../auth/session.ts';
import type { Handler } from '../../handler-types.ts';

/** `auth.session`: describes the caller's session. A reloaded page gets its CSRF token here. */
export const session: Handler<'auth.session'> = async (_input, deps, caller) => ({
  data: await describeSession(deps, caller.session),
});
