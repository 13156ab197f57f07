import type { Address } from '../core/events.ts';
import { lockOwnMerchant, type OwnMerchant, readOwnMerchant } from '../db/commerce/own-merchant.ts';
import type { Pool, Sql } from '../db/connection.ts';
import { ConflictError, NotFoundError } from './errors.ts';

/**
 * The profile of the account that is signed in.
 * @throws {NotFoundError} where it never made one.
 */
export async function requireMerchant(sql: Sql, address: Address): Promise<OwnMerchant> {
  return known(await readOwnMerchant(sql, address));
}

/**
 * The same, for what a closed merchant may not do any more.
 * @throws {NotFoundError} {@link ConflictError} where it is closed.
 */
export async function requireOpenMerchant(sql: Sql, address: Address): Promise<OwnMerchant> {
  return open(known(await readOwnMerchant(sql, address)));
}

/**
 * Runs a write of a merchant in one transaction, after all others of the same merchant. An error
 * undoes it.
 * @throws {NotFoundError} {@link ConflictError} as above, whatever was closed meanwhile.
 */
export async function asOpenMerchant<T>(
  pool: Pool,
  address: Address,
  write: (sql: Sql, merchant: OwnMerchant) => Promise<T>,
): Promise<T> {
  const { value } = await pool.begin(async (sql) => {
    const merchant = open(known(await lockOwnMerchant(sql, address)));
    return { value: await write(sql, merchant) };
  });
  return value;
}

function known(merchant: OwnMerchant | undefined): OwnMerchant {
  if (merchant !== undefined) return merchant;
  throw new NotFoundError('You have no merchant profile: make one with merchants.setup.');
}

function open(merchant: OwnMerchant): OwnMerchant {
  if (merchant.closedAt === null) return merchant;
  const at = merchant.closedAt.toISOString();
  throw new ConflictError(`Your merchant profile was closed at ${at}: it takes no changes.`);
}
