import { BlockList, isIPv6 } from 'node:net';
import type { Context } from 'hono';
import type { Method } from '../../contract/define.ts';
import { isAtLeast, type Role } from '../../contract/roles.ts';
import { neededRole, scopeOf } from '../../contract/scopes.ts';
import type { Address } from '../../core/events.ts';
import { type ApiKeyRow, findKey, noteUse } from '../../db/commerce/api-keys.ts';
import { roleOf } from '../../db/commerce/team.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError, invalidField } from '../errors.ts';
import { hasKeyHash, keyIdOf } from './api-key.ts';

/** The merchant for which a request acts, and the role of its account there. */
export interface Membership {
  /** Account that the contract knows as the merchant, lower case. */
  readonly merchant: Address;
  readonly role: Role;
}

type Deps = Pick<AppDeps, 'pool' | 'clock' | 'keys' | 'enabled'>;

/**
 * Decides for which merchant a request acts, and with which role: the one place that does
 * (docs/use/teams.md). The header `x-merchant` names the merchant; without it, it is the account itself.
 * @throws {HttpError} VALIDATION_FAILED if the header is not an address.
 * @throws {HttpError} FORBIDDEN if the account is no member, or its role may not call the method.
 */
export async function membershipFor(
  { pool, enabled }: Pick<Deps, 'pool' | 'enabled'>,
  method: Method,
  account: Address,
  named: Address | undefined,
): Promise<Membership | undefined> {
  const needed = neededRole(method) ?? (named === undefined ? undefined : method.memberRole);
  if (needed === undefined) return undefined;
  const merchant = named ?? account;
  const role = await roleIn(pool, enabled.has('team'), merchant, account);
  if (role === undefined) {
    throw new HttpError(
      'FORBIDDEN',
      merchant === account
        ? `${account} no longer belongs to its own team: its owner can invite it again.`
        : `${account} does not belong to the team of merchant ${merchant}.`,
    );
  }
  if (!isAtLeast(role, needed)) {
    throw new HttpError(
      'FORBIDDEN',
      `${method.name} needs the role ${needed}, and ${account} is ${role} of merchant ${merchant}.`,
    );
  }
  return { merchant, role };
}

/** True if an account may call a method of the merchant's side for that merchant. */
export async function mayActFor(
  { pool, enabled }: Pick<Deps, 'pool' | 'enabled'>,
  method: Method,
  account: Address,
  merchant: Address,
): Promise<boolean> {
  const role = await roleIn(pool, enabled.has('team'), merchant, account);
  const needed = neededRole(method);
  return role !== undefined && (needed === undefined || isAtLeast(role, needed));
}

async function roleIn(
  pool: Deps['pool'],
  hasTeams: boolean,
  merchant: Address,
  account: Address,
): Promise<Role | undefined> {
  if (hasTeams) return await roleOf(pool, merchant, account);
  return merchant === account ? 'owner' : undefined;
}

/** Merchant that the header `x-merchant` names. */
export function namedMerchant(c: Context): Address | undefined {
  const text = c.req.header('x-merchant');
  if (text === undefined) return undefined;
  if (!isAddress(text)) throw invalidField('x-merchant', 'must be 0x and 40 hex digits');
  return text.toLowerCase() as Address;
}

function isAddress(text: string): text is Address {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

/**
 * Key of a request, checked in full except for its scopes.
 * @param ip address of the client.
 * @throws {HttpError} UNAUTHENTICATED if the key is malformed, unknown, revoked or expired.
 * @throws {HttpError} FORBIDDEN if it may not be used from there.
 */
export async function activeKey(deps: Deps, text: string, ip: string): Promise<ApiKeyRow> {
  const id = keyIdOf(text);
  if (id === undefined) {
    throw unauthenticated(
      'The header Authorization must be Bearer and an API key, copied whole: its check characters do not fit.',
    );
  }
  const key = await findKey(deps.pool, id);
  const now = new Date(deps.clock());
  // The same answer for every wrong key: it says nothing about the keys that exist.
  if (key === undefined || !hasKeyHash(text, key.hash, deps.keys) || key.revokedAt !== null) {
    throw unauthenticated('There is no such API key, or it was revoked.');
  }
  if (key.expiresAt !== null && key.expiresAt <= now) {
    throw unauthenticated(`This API key expired at ${key.expiresAt.toISOString()}.`);
  }
  if (key.addresses.length > 0 && !isListed(ip, key.addresses)) {
    throw new HttpError('FORBIDDEN', `This API key may not be used from ${ip}.`);
  }
  await noteUse(deps.pool, key, now);
  return key;
}

/** @throws {HttpError} FORBIDDEN if the key lacks the scope of a method, or no key may call it. */
export function requireScope(method: Method, { scopes }: Pick<ApiKeyRow, 'scopes'>): void {
  if (method.access === 'public') return;
  const scope = scopeOf(method);
  if (scope === undefined) {
    throw new HttpError('FORBIDDEN', `No API key may call ${method.name}: sign in.`);
  }
  if (scopes.includes(scope)) return;
  throw new HttpError('FORBIDDEN', `${method.name} needs an API key with the scope ${scope}.`);
}

/** True if an address is one of a list, or in a network of it (CIDR). */
function isListed(ip: string, addresses: readonly string[]): boolean {
  const list = new BlockList();
  for (const entry of addresses) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
}

function unauthenticated(message: string): HttpError {
  return new HttpError('UNAUTHENTICATED', message);
}
