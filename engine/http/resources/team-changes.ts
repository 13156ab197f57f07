import type { Role } from '../../contract/roles.ts';
import type { Address } from '../../core/events.ts';
import { ensureOwner, listMembers, type MemberRow } from '../../db/commerce/team.ts';
import type { Sql } from '../../db/connection.ts';
import { newId } from '../auth/token.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError, notFound } from '../errors.ts';
import { asOpenMerchant } from './merchants/own-merchant.ts';

/**
 * Runs a change of a merchant's team in one transaction, after all earlier writes of the merchant.
 * @throws {HttpError} as `asOpenMerchant`.
 */
export async function changeTeam<T>(
  { pool, clock }: Pick<AppDeps, 'pool' | 'clock'>,
  merchant: Address,
  change: (sql: Sql, team: readonly MemberRow[], now: Date) => Promise<T>,
): Promise<T> {
  const now = new Date(clock());
  return await asOpenMerchant(pool, merchant, async (sql) => {
    await ensureOwner(sql, merchant, newId(), now);
    return await change(sql, await listMembers(sql, merchant), now);
  });
}

/** @throws {HttpError} NOT_FOUND if the team has, or had, no such member. */
export function requireMember(team: readonly MemberRow[], id: string): MemberRow {
  const found = team.find((member) => member.id === id);
  if (found === undefined) throw notFound(`The team has no member ${id}.`);
  return found;
}

/**
 * Requires that a caller may give or take away a role: an owner every role but the owner's, an admin those
 * below its own.
 * @throws {HttpError} FORBIDDEN
 */
export function requireManageable(role: Role, managed: Role): void {
  const isManageable = managed !== 'owner' && (role === 'owner' || managed !== 'admin');
  if (isManageable) return;
  throw new HttpError(
    'FORBIDDEN',
    managed === 'owner'
      ? 'The owner stays in the team until team.transferOwnership makes another member the owner.'
      : 'Only the owner may give or take away the role admin.',
  );
}
