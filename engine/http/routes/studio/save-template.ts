import {
  readTemplates,
  TEMPLATES_MOST,
  saveTemplate as writeTemplate,
} from '../../../db/commerce/policy-templates.ts';
import { newId } from '../../auth/token.ts';
import { NotFoundError, UnprocessableError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';
import { asOpenMerchant } from '../../own-merchant.ts';
import { builtInTemplates } from '../../studio/built-in-templates.ts';
import { ownTemplate } from './templates.ts';

/** `studio.saveTemplate`: a new one of the merchant's, or, with an id, another in its place. */
export const saveTemplate: Handler<'studio.saveTemplate'> = async (input, deps, { session }) => {
  const { id, name, policy } = input;
  if (builtInTemplates.some((template) => template.id === id)) {
    throw new UnprocessableError(`The template ${id} comes with the service: save it without id.`);
  }
  const template = await asOpenMerchant(deps.pool, session.address, async (sql, merchant) => {
    const own = await readTemplates(sql, merchant.id);
    if (id !== undefined && !own.some((one) => one.id === id)) {
      throw new NotFoundError(`You have no template ${id}: save it without id to make a new one.`);
    }
    if (id === undefined && own.length >= TEMPLATES_MOST) {
      throw new UnprocessableError(
        `You have ${TEMPLATES_MOST} templates, and may have no more: replace one by its id.`,
      );
    }
    const saved = { id: id ?? newId(), name, policy, updatedAt: new Date(deps.clock()) };
    await writeTemplate(sql, merchant.id, saved);
    return saved;
  });
  return { data: ownTemplate(template) };
};
