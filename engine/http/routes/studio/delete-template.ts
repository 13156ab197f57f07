import { deleteTemplate as removeTemplate } from '../../../db/commerce/policy-templates.ts';
import { notFound, unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { asOpenMerchant } from '../../resources/merchants/own-merchant.ts';
import { builtInTemplates } from '../../resources/studio/templates.ts';

/** `studio.deleteTemplate`: deletes a template of the caller. */
export const deleteTemplate: Handler<'studio.deleteTemplate'> = async ({ id }, deps, caller) => {
  if (builtInTemplates.some((template) => template.id === id)) {
    throw unprocessable(`The template ${id} comes with the service: it cannot be deleted.`);
  }
  const deleted = await asOpenMerchant(deps.pool, caller.merchant, (sql, merchant) =>
    removeTemplate(sql, merchant.id, id),
  );
  if (!deleted) throw notFound(`You have no template ${id}.`);
  return { data: { ok: true } };
};
