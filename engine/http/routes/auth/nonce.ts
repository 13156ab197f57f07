import { saveNonce } from '../../../db/commerce/nonces.ts';
import { NONCE_SECONDS } from '../../auth/times.ts';
import { newNonce } from '../../auth/token.ts';
import type { Handler } from '../../handler-types.ts';

/** `auth.nonce`: begins a sign-in. */
export const nonce: Handler<'auth.nonce'> = async (_input, { pool, clock, deployment }) => {
  const made = newNonce();
  const expiresAt = new Date(clock() + NONCE_SECONDS * 1_000);
  await saveNonce(pool, made, expiresAt);
  return {
    data: { nonce: made, expiresAt: expiresAt.toISOString(), chainId: deployment.chainId },
  };
};
