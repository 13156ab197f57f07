import { methods } from '../../../engine/contract/registry.ts';
import { isAtLeast, roles } from '../../../engine/contract/roles.ts';
import { neededRole, scopeOf } from '../../../engine/contract/scopes.ts';

/** The table of docs/use/teams.md: every method of the merchant's side that is built, its scope, and who may call it. */
export function rolesTable(): string {
  const rows = methods.flatMap((method) => {
    const needed = neededRole(method) ?? method.memberRole;
    if (needed === undefined || method.availability === 'designed') return [];
    const scope = scopeOf(method);
    const may = roles.map((role) => (isAtLeast(role, needed) ? 'yes' : ''));
    return [`| \`${method.name}\` | ${scope ? `\`${scope}\`` : 'no key'} | ${may.join(' | ')} |`];
  });
  return [
    `| method | scope of a key | ${roles.join(' | ')} |`,
    `| --- | --- | ${roles.map(() => '---').join(' | ')} |`,
    ...rows.sort(),
  ].join('\n');
}
