import { deleteDraft as removeDraft } from '../../../db/commerce/campaign-drafts.ts';
import { notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';

/** `campaigns.deleteDraft`: deletes one of the caller's own drafts. */
export const deleteDraft: Handler<'campaigns.deleteDraft'> = async ({ id }, { pool }, caller) => {
  if (!(await removeDraft(pool, caller.merchant, id))) {
    throw notFound(`You have no draft ${id}.`);
  }
  return { data: { ok: true } };
};
