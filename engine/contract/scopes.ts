import type { Method } from './define.ts';
import type { Role } from './roles.ts';

/**
 * Lowest role that may call a method of the merchant's side; `undefined` for a method that acts for the
 * signed-in account itself, or for everybody.
 */
export function neededRole({ caller }: Method): Role | undefined {
  return caller === undefined || caller === 'account' || caller === 'operator' ? undefined : caller;
}

/** Permission that an API key needs: to read or to write a resource of the registry. */
export type Scope = `${string}.read` | `${string}.write`;

/**
 * Permission that an API key needs for a method; `undefined` if no key may call it. A public method needs
 * none.
 */
export function scopeOf({ name, method, caller, sessionOnly, rights }: Method): Scope | undefined {
  if (caller === undefined || caller === 'operator') return undefined;
  if (sessionOnly === true || rights !== undefined) return undefined;
  const [resource = ''] = name.split('.');
  return `${resource}.${method === 'GET' ? 'read' : 'write'}`;
}
