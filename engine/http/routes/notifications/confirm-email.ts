import { notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { confirmByToken, DEAD_LINK } from '../../resources/notifications/mail-links.ts';

/** `notifications.confirmEmail`: the answer to a token that is unknown, used or expired is always the same. */
export const confirmEmail: Handler<'notifications.confirmEmail'> = async ({ token }, deps) => {
  if (!(await confirmByToken(deps, token))) throw notFound(DEAD_LINK);
  return { data: { ok: true } };
};
