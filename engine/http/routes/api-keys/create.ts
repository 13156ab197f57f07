import { methods } from '../../../contract/registry.ts';
import { isAtLeast, type Role } from '../../../contract/roles.ts';
import { neededRole, scopeOf } from '../../../contract/scopes.ts';
import { unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { makeKey } from '../../resources/api-keys/make-key.ts';

/** `apiKeys.create`: makes a key of the caller for the merchant. */
export const create: Handler<'apiKeys.create'> = async (input, deps, caller) => {
  const { account, merchant, role } = caller;
  requireScopes(input.scopes, role);
  const createdAt = new Date(deps.clock());
  const expiresAt = input.expiresAt === undefined ? null : new Date(input.expiresAt);
  if (expiresAt !== null && expiresAt <= createdAt) {
    throw unprocessable('The key cannot be made.', [
      { path: 'expiresAt', message: 'must be in the future' },
    ]);
  }
  const { name, addresses = [] } = input;
  const scopes = [...new Set(input.scopes)];
  const rights = { account, merchant, name, scopes, addresses, createdAt, expiresAt };
  return { data: await deps.pool.begin((sql) => makeKey(sql, deps, rights)) };
};

/** @throws {HttpError} UNPROCESSABLE naming each scope that no method has, or that the role cannot use. */
function requireScopes(scopes: readonly string[], role: Role): void {
  const issues = scopes.flatMap((scope, index) => {
    const named = methods.filter((method) => scopeOf(method) === scope);
    const usable = named.some((method) => isAtLeast(role, neededRole(method) ?? 'viewer'));
    if (usable) return [];
    const message =
      named.length === 0
        ? 'must be a scope of system.endpoints'
        : `must be a scope that the role ${role} can use`;
    return [{ path: `scopes.${index}`, message }];
  });
  if (issues.length > 0) throw unprocessable('The key cannot be made: see issues.', issues);
}
