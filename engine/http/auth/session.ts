import type { z } from 'zod';
import type { registry } from '../../contract/registry.ts';
import { openSession, type SessionRow } from '../../db/commerce/sessions.ts';
import { accountRoles } from '../../db/read/account-roles.ts';
import type { AppDeps } from '../deps.ts';
import { IDLE_SECONDS } from './times.ts';
import { csrfTokenOf, tokenHashOf } from './token.ts';

/** Somebody who is signed in. */
export interface Session extends SessionRow {
  /** What a write of this session must carry as `x-csrf-token`. */
  readonly csrfToken: string;
}

/**
 * The living session of a token.
 * @returns `undefined` where there is none, or its time is up.
 */
export async function sessionOf(
  { pool, clock }: Pick<AppDeps, 'pool' | 'clock'>,
  token: string | undefined,
): Promise<Session | undefined> {
  if (token === undefined) return undefined;
  const row = await openSession(pool, tokenHashOf(token), new Date(clock()), IDLE_SECONDS);
  return row && { ...row, csrfToken: csrfTokenOf(token) };
}

/** A session as its owner is told of it, with what the account is. */
export async function describeSession(
  { pool, operators }: Pick<AppDeps, 'pool' | 'operators'>,
  session: Omit<Session, 'lastSeenAt' | 'userAgent'>,
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
