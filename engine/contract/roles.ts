/**
 * Role of an account within a merchant (docs/use/teams.md#roles). Each role may do everything that the roles
 * before it may do.
 */
export const roles = ['viewer', 'analyst', 'admin', 'owner'] as const;

/** Role of an account within a merchant. */
export type Role = (typeof roles)[number];

/** True if a role may do what `needed` may do. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
