import type { Address } from '../../../core/events.ts';
import { useNonce } from '../../../db/commerce/nonces.ts';
import { createSession } from '../../../db/commerce/sessions.ts';
import { sessionCookie } from '../../auth/cookie.ts';
import { renderSession } from '../../auth/session.ts';
import { checkMessage, readMessage } from '../../auth/siwe.ts';
import { SESSION_SECONDS } from '../../auth/times.ts';
import { csrfTokenOf, newId, newToken, tokenHashOf } from '../../auth/token.ts';
import { isSignedBy } from '../../auth/wallet.ts';
import type { AppDeps } from '../../deps.ts';
import { UnauthenticatedError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';

/** Characters of a browser's name that are kept. */
const USER_AGENT_MOST = 200;

/**
 * `auth.signIn`: a message is good for one try, for its nonce is used up before the signature is
 * looked at; of any number of the same at once, one signs in.
 */
export const signIn: Handler<'auth.signIn'> = async (
  { message: text, signature },
  deps,
  caller,
) => {
  const now = new Date(deps.clock());
  const message = readMessage(text);
  checkMessage(message, {
    chainId: deps.deployment.chainId,
    allowedOrigins: deps.allowedOrigins,
    origin: caller.origin,
    now,
  });
  if (!(await useNonce(deps.pool, message.nonce, now))) {
    throw new UnauthenticatedError(
      'The nonce is not one of ours, or used or expired: get another.',
    );
  }
  const { address } = message;
  if (!(await isSignedBy(deps.client, { address, message: text, signature }))) {
    throw new UnauthenticatedError(`The signature is not one of ${address} over this message.`);
  }
  return await begin(deps, lowerCase(address), caller, now);
};

async function begin(
  { pool }: AppDeps,
  address: Address,
  caller: Parameters<typeof signIn>[2],
  createdAt: Date,
): ReturnType<typeof signIn> {
  const token = newToken();
  const expiresAt = new Date(createdAt.getTime() + SESSION_SECONDS * 1_000);
  const session = { id: newId(), address, createdAt, expiresAt };
  const userAgent = plainText(caller.userAgent);
  const tokenHash = tokenHashOf(token);
  await createSession(pool, { ...session, tokenHash, userAgent }, caller.session?.id);
  return {
    data: renderSession({ ...session, csrfToken: csrfTokenOf(token) }),
    setCookie: sessionCookie(token, createdAt, expiresAt),
  };
}

function plainText(userAgent: string | undefined): string | null {
  return userAgent?.replace(/[^\x20-\x7e]/g, '').slice(0, USER_AGENT_MOST) ?? null;
}

function lowerCase(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}
