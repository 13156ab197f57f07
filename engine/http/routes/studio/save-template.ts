import {
  MAX_TEMPLATES,
  readTemplates,
  saveTemplate as writeTemplate,
} from '../../../db/commerce/policy-templates.ts';
import { newId } from '../../auth/token.ts';
import { notFound, unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { asOpenMerchant } from '../../resources/merchants/own-merchant.ts';
import { builtInTemplates, ownTemplate } from '../../resources/studio/templates.ts';

/** `studio.saveTemplate`: creates a template of the merchant or, with an id, replaces one. */
export const saveTemplate: Handler<'studio.saveTemplate'> = async (
  input,
  deps,
  { merchant: address },
) => {
  const { id, name, policy } = input;
  if (builtInTemplates.some((template) => template.id === id)) {
    throw unprocessable(`The template ${id} comes with the service: save it without id.`);
  }
  const template = await asOpenMerchant(deps.pool, address, async (sql, merchant) => {
    const own = await readTemplates(sql, merchant.id);
    if (id !== undefined && !own.some((one) => one.id === id)) {
      throw notFound(`You have no template ${id}: save it without id to create a new one.`);
    }
    if (id === undefined && own.length >= MAX_TEMPLATES) {
      throw unprocessable(
        `You have ${MAX_TEMPLATES} templates, which is the maximum: delete one first.`,
      );
    }
    const updatedAt = new Date(deps.clock());
    return await writeTemplate(sql, merchant.id, { id: id ?? newId(), name, policy, updatedAt });
  });
  return { data: ownTemplate(template) };
};
