import type { Address } from '../../../core/events.ts';
import {
  lockOwnMerchant,
  type OwnMerchant,
  readOwnMerchant,
  suggestSlug,
} from '../../../db/commerce/own-merchant.ts';
import { NameRefused } from '../../../db/commerce/released-names.ts';
import type { Pool, Sql } from '../../../db/connection.ts';
import { conflict, type HttpError, notFound } from '../../errors.ts';
import { nameRefusal } from '../reserved-names.ts';

/**
 * Merchant profile of an account, open or closed.
 * @throws {HttpError} NOT_FOUND if the account has none.
 */
export async function requireMerchant(sql: Sql, address: Address): Promise<OwnMerchant> {
  return known(await readOwnMerchant(sql, address));
}

/**
 * Merchant profile of an account, which must not be closed.
 * @throws {HttpError} NOT_FOUND if the account has none, CONFLICT if it is closed.
 */
export async function requireOpenMerchant(sql: Sql, address: Address): Promise<OwnMerchant> {
  return open(known(await readOwnMerchant(sql, address)));
}

/**
 * Runs a write of a merchant in one transaction, after all earlier writes of the same merchant. An error rolls
 * it back.
 * @throws {HttpError} NOT_FOUND if the account has no profile, CONFLICT if it is closed by then.
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
  throw notFound('You have no merchant profile: create one with merchants.setup.');
}

function open(merchant: OwnMerchant): OwnMerchant {
  if (merchant.closedAt === null) return merchant;
  const at = merchant.closedAt.toISOString();
  throw conflict(`Your merchant profile was closed at ${at}: it takes no changes.`);
}

/** Throws a refused name of a profile as an error of the interface, and every other error as it is. */
export function rethrowRefusal({
  slug = '',
  name = '',
}: {
  readonly slug?: string | undefined;
  readonly name?: string | undefined;
}) {
  return (error: unknown): never => {
    if (!(error instanceof NameRefused)) throw error;
    throw nameRefusal(error.kind, error.kind === 'slug' ? slug : name, error.why);
  };
}

/** CONFLICT error for a slug that another merchant has; it suggests a similar one that is free. */
export async function slugTaken(sql: Sql, slug: string): Promise<HttpError> {
  const free = await suggestSlug(sql, slug);
  const hint = free === null ? 'choose another' : `${free} is free`;
  return conflict(`Another merchant has the slug ${slug}: ${hint}.`);
}
