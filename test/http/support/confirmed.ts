import type { Client } from '../../../engine/client/index.ts';
import { saveConfirmation } from '../../../engine/db/commerce/confirmations.ts';
import { newToken, tokenHashOf } from '../../../engine/http/auth/token.ts';
import type { ApiBench } from './bench.ts';
import { signedIn } from './session.ts';

/** A signed-in client with a confirmation of its session, without the ceremony. */
export async function confirmed(
  bench: ApiBench,
  address: `0x${string}`,
): Promise<{ client: Client; confirmationToken: string }> {
  const { id, csrfToken, reading } = await signedIn(bench.deps, address);
  const confirmationToken = newToken();
  const until = new Date(bench.deps.clock() + 300_000);
  await saveConfirmation(bench.pool, id, tokenHashOf(confirmationToken), until);
  return {
    client: bench.client({}, { csrfToken, cookie: reading.cookie }),
    confirmationToken,
  };
}
