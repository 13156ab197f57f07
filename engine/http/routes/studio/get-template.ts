import { readOwnMerchant } from '../../../db/commerce/own-merchant.ts';
import { readTemplate } from '../../../db/commerce/policy-templates.ts';
import { notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { builtInTemplates, ownTemplate } from '../../resources/studio/templates.ts';

/** `studio.getTemplate`: a built-in template, or one of the merchant's own. */
export const getTemplate: Handler<'studio.getTemplate'> = async ({ id }, { pool }, caller) => {
  const builtIn = builtInTemplates.find((template) => template.id === id);
  if (builtIn !== undefined) return { data: builtIn };
  const merchant = await readOwnMerchant(pool, caller.merchant);
  const own = merchant && (await readTemplate(pool, merchant.id, id));
  if (own === undefined) throw notFound(`You have no template ${id}.`);
  return { data: ownTemplate(own) };
};
