import { listSessions } from '../../../db/commerce/sessions.ts';
import { IDLE_SECONDS } from '../../auth/times.ts';
import type { Handler } from '../../handler-types.ts';

/** `auth.sessions`: lists the caller's active sessions. */
export const sessions: Handler<'auth.sessions'> = async (_input, { pool, clock }, { session }) => {
  const rows = await listSessions(pool, session.address, new Date(clock()), IDLE_SECONDS);
  return {
    data: {
      items: rows.map(({ id, userAgent, createdAt, lastSeenAt, expiresAt }) => ({
        id,
        current: id === session.id,
        userAgent,
        signedInAt: createdAt.toISOString(),
        lastSeenAt: lastSeenAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
      })),
    },
  };
};
