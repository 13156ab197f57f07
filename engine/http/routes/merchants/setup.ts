import type { Address } from '../../../core/events.ts';
import { createMerchant, readOwnMerchant, suggestSlug } from '../../../db/commerce/own-merchant.ts';
import type { Sql } from '../../../db/connection.ts';
import { newId } from '../../auth/token.ts';
import { ConflictError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';
import { ownMerchant } from '../../render/own-merchant.ts';

/** `merchants.setup`: one profile for an account, for good; of any number at once, one is made. */
export const setup: Handler<'merchants.setup'> = async (input, { pool, clock }, { session }) => {
  const { address } = session;
  const { slug, name, description = '', websiteUrl = null, supportEmail = null } = input;
  const text = { slug, name, description, websiteUrl, supportEmail };
  const made = await createMerchant(pool, { id: newId(), address, ...text }, new Date(clock()));
  if (made === undefined) throw await refusalOf(pool, address, slug);
  return { data: ownMerchant(made) };
};

async function refusalOf(sql: Sql, address: Address, slug: string): Promise<ConflictError> {
  const own = await readOwnMerchant(sql, address);
  if (own !== undefined) {
    return new ConflictError(
      `You have a profile already, ${own.slug}: an account has one for good.`,
    );
  }
  return await slugTaken(sql, slug);
}

/** Somebody else has the slug; one like it is named that is free. */
export async function slugTaken(sql: Sql, slug: string): Promise<ConflictError> {
  const free = await suggestSlug(sql, slug);
  const hint = free === null ? 'choose another' : `${free} is free`;
  return new ConflictError(`Another merchant has the slug ${slug}: ${hint}.`);
}
