import type { Address } from '../../../core/events.ts';
import { createMerchant, readOwnMerchant } from '../../../db/commerce/own-merchant.ts';
import type { Sql } from '../../../db/connection.ts';
import { newId } from '../../auth/token.ts';
import { conflict, type HttpError } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { ownMerchant } from '../../render/own-merchant.ts';
import { rethrowRefusal, slugTaken } from '../../resources/merchants/own-merchant.ts';
import { requireOneScript, requireUnreserved } from '../../resources/reserved-names.ts';

/** `merchants.setup`: creates the single, permanent profile of an account. Of concurrent requests, one succeeds. */
export const setup: Handler<'merchants.setup'> = async (
  input,
  { pool, clock },
  { merchant: address },
) => {
  const { slug, name, description = '', websiteUrl = null, supportEmail = null } = input;
  const text = { slug, name, description, websiteUrl, supportEmail };
  requireUnreserved('slug', slug);
  requireUnreserved('name', name);
  requireOneScript('name', name);
  const created = { id: newId(), address, ...text };
  const made = await pool
    .begin((sql) => createMerchant(sql, created, new Date(clock())))
    .catch(rethrowRefusal(text));
  if (made === undefined) throw await refusalOf(pool, address, slug);
  return { data: ownMerchant(made) };
};

async function refusalOf(sql: Sql, address: Address, slug: string): Promise<HttpError> {
  const own = await readOwnMerchant(sql, address);
  if (own !== undefined) {
    return conflict(`You already have a profile, ${own.slug}: an account has only one.`);
  }
  return await slugTaken(sql, slug);
}
