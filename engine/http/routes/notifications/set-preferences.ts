import { normalizedAddress } from '../../../core/email-address.ts';
import type { Address } from '../../../core/events.ts';
import {
  lockMailPreferences,
  MAX_CONFIRMATIONS,
  type MailPreferences,
  mailPreferences,
  requestConfirmation,
  setMailAddress,
  setMailKinds,
} from '../../../db/commerce/mail-preferences.ts';
import type { Sql } from '../../../db/connection.ts';
import { seal } from '../../../secrets/seal.ts';
import { newId, newToken, tokenHashOf } from '../../auth/token.ts';
import type { AppDeps } from '../../deps.ts';
import { unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { preferencesOf } from '../../render/notification.ts';

/**
 * `notifications.setPreferences`: omitted fields stay. Another address is not confirmed until its owner used the
 * link that is sent to it. Naming an address again that is not confirmed sends another link.
 */
export const setPreferences: Handler<'notifications.setPreferences'> = async (
  { email, kinds },
  deps,
  { account },
) => {
  const preferences = await deps.pool.begin(async (sql) => {
    const before = await lockMailPreferences(sql, account);
    if (kinds !== undefined) {
      const isMore = kinds.some((kind) => !before.kinds.includes(kind));
      await setMailKinds(sql, account, [...new Set(kinds)], isMore);
    }
    if (email !== undefined) await setAddress(sql, deps, { account, before, email });
    return await mailPreferences(sql, account);
  });
  return { data: preferencesOf(preferences) };
};

interface AddressChange {
  readonly account: Address;
  readonly before: MailPreferences;
  readonly email: string | null;
}

/** @throws {HttpError} UNPROCESSABLE if the account asked for too many confirmations. */
async function setAddress(
  sql: Sql,
  { keys, clock }: AppDeps,
  { account, before, email }: AddressChange,
): Promise<void> {
  const now = new Date(clock());
  if (email === null) return await setMailAddress(sql, account, null, now);
  const address = normalizedAddress(email);
  const isSame = address === before.address;
  if (isSame && before.status === 'confirmed') return;
  if (!isSame || before.status === 'undeliverable') {
    await setMailAddress(sql, account, { address, unsubscribeToken: newToken() }, now);
  }
  const token = newToken();
  const confirmation = {
    ...{ mailId: `mail_${newId()}`, account, address },
    tokenHash: tokenHashOf(token),
    sealedToken: seal(token, keys, 'mail token'),
  };
  if (await requestConfirmation(sql, confirmation, now)) return;
  throw unprocessable('This address cannot be set now: see issues.', [
    {
      path: 'email',
      message: `you have asked for ${MAX_CONFIRMATIONS} confirmations within a day, which is the maximum`,
    },
  ]);
}
