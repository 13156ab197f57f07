import { oldSecretUntil, replaceSecret } from '../../../db/commerce/webhook-endpoints.ts';
import { seal } from '../../../secrets/seal.ts';
import { newWebhookSecret } from '../../../secrets/webhook-secret.ts';
import { conflict } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { requireEndpoint } from '../../resources/webhooks/own-endpoint.ts';

/** Milliseconds for which the old secret signs too: a day. */
const OVERLAP_MS = 86_400_000;

/**
 * `webhooks.rotateSecret`: a second rotation within the overlap is refused, because it would end the
 * secret that receivers still use.
 */
export const rotateSecret: Handler<'webhooks.rotateSecret'> = async ({ id }, deps, caller) => {
  const now = new Date(deps.clock());
  const secret = newWebhookSecret();
  const until = new Date(now.getTime() + OVERLAP_MS);
  await deps.pool.begin(async (sql) => {
    await requireEndpoint(sql, caller.merchant, id);
    const old = await oldSecretUntil(sql, id, now);
    if (old !== null) {
      throw conflict(
        `The secret was replaced already: the one before it ends at ${old.toISOString()}.`,
      );
    }
    await replaceSecret(sql, id, seal(secret, deps.keys, 'webhook secret'), until);
  });
  return { data: { secret, oldSecretExpiresAt: until.toISOString() } };
};
