import type { MethodOf, OutputOf } from '../../contract/types.ts';
import type { ApiKeyRow } from '../../db/commerce/api-keys.ts';

/** A key as its owner sees it, without its secret. */
export function apiKey({
  account: _account,
  createdAt,
  lastUsedAt,
  expiresAt,
  revokedAt,
  scopes,
  addresses,
  ...key
}: ApiKeyRow): OutputOf<MethodOf<'apiKeys.revoke'>> {
  return {
    ...key,
    scopes: [...scopes],
    addresses: [...addresses],
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}
