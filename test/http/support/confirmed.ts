import type { Client } from '../../../engine/client/index.ts';
import { saveConfirmation } from '../../../engine/db/commerce/confirmations.ts';
import { newToken, tokenHashOf } from '../../../engine/http/auth/token.ts';
import type { AppDeps } from '../../../engine/http/deps.ts';
import type { ApiFixture } from './api-fixture.ts';
import { signedIn } from './session.ts';

/** A signed-in client with a confirmation of its session, without the ceremony. */
export async function confirmed(
  fixture: ApiFixture,
  address: `0x${string}`,
  changes: Partial<AppDeps> = {},
): Promise<{ client: Client; confirmationToken: string }> {
  const { id, csrfToken, reading } = await signedIn(fixture.deps, address);
  const confirmationToken = newToken();
  const until = new Date(fixture.deps.clock() + 300_000);
  await saveConfirmation(fixture.pool, id, tokenHashOf(confirmationToken), until);
  return {
    client: fixture.client(changes, { csrfToken, cookie: reading.cookie }),
    confirmationToken,
  };
}
