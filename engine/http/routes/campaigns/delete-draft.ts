import { deleteDraft as removeDraft } from '../../../db/commerce/campaign-drafts.ts';
import { NotFoundError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';

/** `campaigns.deleteDraft`: throws a draft of one's own away, at once. */
export const deleteDraft: Handler<'campaigns.deleteDraft'> = async ({ id }, { pool }, caller) => {
  if (!(await removeDraft(pool, caller.session.address, id))) {
    throw new NotFoundError(`You have no draft ${id}.`);
  }
  return { data: { ok: true } };
};
