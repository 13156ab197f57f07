import { methods } from '../../../engine/contract/registry.ts';
import { scopeOf } from '../../../engine/contract/scopes.ts';
import { storeKey } from '../../../engine/db/commerce/api-keys.ts';
import { keyHashOf, newKey } from '../../../engine/http/auth/api-key.ts';
import type { ApiFixture } from './api-fixture.ts';

/** Every scope that a key can have. */
export const allScopes: readonly string[] = [
  ...new Set(methods.flatMap((method) => scopeOf(method) ?? [])),
];

/** A key of an account for a merchant, by default its own; with all scopes unless it says otherwise. */
export interface KeyOptions {
  readonly merchant?: `0x${string}`;
  readonly scopes?: readonly string[];
  readonly addresses?: readonly string[];
  readonly expiresAt?: Date;
}

/** Stores a key, without the ceremony. @returns its text, for the header `Authorization`. */
export async function keyOf(
  { pool, deps }: ApiFixture,
  account: `0x${string}`,
  { merchant = account, scopes = allScopes, addresses = [], expiresAt }: KeyOptions = {},
): Promise<string> {
  const { id, text, prefix } = newKey(true);
  const stored = await storeKey(pool, {
    ...{ id, account, merchant, name: 'A key', prefix, scopes, addresses },
    hash: keyHashOf(text, deps.keys),
    createdAt: new Date(deps.clock()),
    expiresAt: expiresAt ?? null,
  });
  if (stored === undefined) throw new Error('The account has too many keys.');
  return text;
}
