import { methods } from '../../../engine/contract/registry.ts';
import { neededRole, scopeOf } from '../../../engine/contract/scopes.ts';

/**
 * The table of docs/use/teams.md: every method of the merchant's side that is built, its scope, and the
 * lowest role that may call it. Methods that agree in both share a row.
 */
export function rolesTable(): string {
  const groups = new Map<string, string[]>();
  for (const method of methods) {
    const needed = neededRole(method) ?? method.memberRole;
    if (needed === undefined || method.availability === 'designed') continue;
    const scope = scopeOf(method);
    const key = `${scope ? `\`${scope}\`` : 'no key'} | ${needed}`;
    groups.set(key, [...(groups.get(key) ?? []), `\`${method.name}\``]);
  }
  const rows = [...groups].map(([key, names]) => `| ${key} | ${names.sort().join(', ')} |`);
  return ['| scope of a key | lowest role | methods |', '| --- | --- | --- |', ...rows.sort()].join(
    '\n',
  );
}
