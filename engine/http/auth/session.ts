import type { z } from 'zod';
import type { registry } from '../../contract/registry.ts';
import { openSession, type SessionRow } from '../../db/commerce/sessions.ts';
import { accountRoles } from '../../db/read/distributors/account-roles.ts';
import type { AppDeps } from '../deps.ts';
import { IDLE_SECONDS } from './times.ts';
import { csrfTokenOf, tokenHashOf } from './token.ts';

/** Session of an account that is signed in. */
export interface ActiveSession extends SessionRow {
  /** CSRF token that each write of this session must send as `x-csrf-token`. */
  readonly csrfToken: string;
}

/**
 * Active session of a token.
 * @returns `undefined` if there is none, or it has expired.
 */
export async function sessionOf(
  { pool, clock }: Pick<AppDeps, 'pool' | 'clock'>,
  token: string | undefined,
): Promise<ActiveSession | undefined> {
  if (token === undefined) return undefined;
  const row = await openSession(pool, tokenHashOf(token), new Date(clock()), IDLE_SECONDS);
  return row && { ...row, csrfToken: csrfTokenOf(token) };
}

/** Session as its owner sees it, with the scopes of the account. */
export async function describeSession(
  { pool, operators }: Pick<AppDeps, 'pool' | 'operators'>,
  session: Omit<ActiveSession, 'lastSeenAt' | 'userAgent'>,
): Promise<z.infer<typeof registry.auth.session.output>> {
  const { address } = session;
  const roles = await accountRoles(pool, address);
  return {
    id: session.id,
    address,
    csrfToken: session.csrfToken,
    signedInAt: session.createdAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    idleSeconds: IDLE_SECONDS,
    scopes: [
      'buyer',
      ...(roles.distributor ? (['distributor'] as const) : []),
      ...(roles.merchant ? (['merchant'] as const) : []),
      ...(operators.includes(address) ? (['operator'] as const) : []),
    ],
  };
}
