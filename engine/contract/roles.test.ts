import { describe, expect, it } from 'vitest';
import { methods } from './registry.ts';
import { isAtLeast, roles } from './roles.ts';
import { neededRole, scopeOf } from './scopes.ts';

describe('roles and scopes', () => {
  it('lets each role do what the roles before it may do', () => {
    const allowed = roles.map((role) => roles.filter((needed) => isAtLeast(role, needed)));
    expect(allowed).toEqual([
      ['viewer'],
      ['viewer', 'analyst'],
      ['viewer', 'analyst', 'admin'],
      ['viewer', 'analyst', 'admin', 'owner'],
    ]);
  });

  it('gives a scope to every method of a session, unless it needs somebody who signed in or changes rights', () => {
    const withoutScope = methods
      .filter(
        (method) => method.access === 'session' && scopeOf(method) === undefined && !method.rights,
      )
      .map(({ name }) => name.split('.')[0]);
    expect([...new Set(withoutScope)].sort()).toEqual([
      ...['account', 'apiKeys', 'auth', 'moderation', 'notifications'],
    ]);
    for (const method of methods) {
      const scope = scopeOf(method);
      if (method.access === 'public') expect(scope, method.name).toBeUndefined();
      else if (scope !== undefined) {
        expect(scope.endsWith('.read'), method.name).toBe(method.method === 'GET');
      }
    }
  });

  it('lets no viewer or analyst write for a merchant, except for themselves', () => {
    const writes = methods.filter((one) => {
      const role = neededRole(one);
      return one.method !== 'GET' && (role === 'viewer' || role === 'analyst');
    });
    expect(writes.map(({ name }) => name).sort()).toEqual([
      ...['apiKeys.create', 'apiKeys.revoke', 'apiKeys.rotate'],
      ...['reports.export', 'team.remove'],
    ]);
  });
});
