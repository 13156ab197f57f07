import type { Handler } from '../../handler-types.ts';
import { unsubscribeByToken } from '../../resources/notifications/mail-links.ts';

/** `notifications.unsubscribe`: stops all mails to an address. The answer does not say whether the token existed. */
export const unsubscribe: Handler<'notifications.unsubscribe'> = async ({ token }, deps) => {
  await unsubscribeByToken(deps, token);
  return { data: { ok: true } };
};
