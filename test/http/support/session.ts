import { createSession } from '../../../engine/db/commerce/sessions.ts';
import { SESSION_COOKIE } from '../../../engine/http/auth/cookie.ts';
import { SESSION_SECONDS } from '../../../engine/http/auth/times.ts';
import { csrfTokenOf, newId, newToken, tokenHashOf } from '../../../engine/http/auth/token.ts';
import type { AppDeps } from '../../../engine/http/deps.ts';

/** Somebody who is signed in, without the ceremony. */
export interface SignedIn {
  readonly id: string;
  readonly csrfToken: string;
  /** What a read sends. */
  readonly reading: { readonly cookie: string };
  /** What a write sends: cookie, origin and CSRF token. */
  readonly writing: Readonly<Record<string, string>>;
}

/** Begins a session of that account, in lower case, as a sign-in does. */
export async function signedIn(
  { pool, clock, allowedOrigins }: Pick<AppDeps, 'pool' | 'clock' | 'allowedOrigins'>,
  address: `0x${string}`,
): Promise<SignedIn> {
  const token = newToken();
  const id = newId();
  const createdAt = new Date(clock());
  const expiresAt = new Date(clock() + SESSION_SECONDS * 1_000);
  const tokenHash = tokenHashOf(token);
  await createSession(pool, { id, tokenHash, address, userAgent: null, createdAt, expiresAt });
  const reading = { cookie: `${SESSION_COOKIE}=${token}` };
  const csrfToken = csrfTokenOf(token);
  const origin = allowedOrigins[0] ?? '';
  return { id, csrfToken, reading, writing: { ...reading, origin, 'x-csrf-token': csrfToken } };
}
