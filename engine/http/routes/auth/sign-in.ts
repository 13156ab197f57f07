import type { Address } from '../../../core/events.ts';
import { plainText } from '../../../core/plain-text.ts';
import { createSession } from '../../../db/commerce/sessions.ts';
import { acceptInvitations } from '../../../db/commerce/team.ts';
import { sessionCookie } from '../../auth/cookie.ts';
import { describeSession } from '../../auth/session.ts';
import { verifySigned } from '../../auth/signed-message.ts';
import { SESSION_SECONDS } from '../../auth/times.ts';
import { csrfTokenOf, newId, newToken, tokenHashOf } from '../../auth/token.ts';
import type { AppDeps } from '../../deps.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';

/** Characters of the user agent that are stored. */
const MAX_USER_AGENT = 200;

/** `auth.signIn`: begins a session for the account that signed, and accepts its invitations to teams. */
export const signIn: Handler<'auth.signIn'> = async (input, deps, caller) => {
  const now = new Date(deps.clock());
  const { address } = await verifySigned(input, deps, caller, now);
  return await begin(deps, lowerAddress(address), caller, now);
};

async function begin(
  deps: AppDeps,
  address: Address,
  caller: Parameters<typeof signIn>[2],
  createdAt: Date,
): ReturnType<typeof signIn> {
  const token = newToken();
  const expiresAt = new Date(createdAt.getTime() + SESSION_SECONDS * 1_000);
  const session = { id: newId(), address, createdAt, expiresAt };
  const userAgent =
    caller.userAgent === undefined ? null : plainText(caller.userAgent, MAX_USER_AGENT);
  const tokenHash = tokenHashOf(token);
  await createSession(deps.pool, { ...session, tokenHash, userAgent }, caller.session?.id);
  if (deps.enabled.has('team')) await acceptInvitations(deps.pool, address, createdAt);
  return {
    data: await describeSession(deps, { ...session, csrfToken: csrfTokenOf(token) }),
    setCookie: sessionCookie(token, createdAt, expiresAt),
  };
}
