import { DRAFTS_MOST, saveDraft as writeDraft } from '../../../db/commerce/campaign-drafts.ts';
import { getDraft } from '../../../db/read/campaign-drafts.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { ConflictError, NotFoundError, UnprocessableError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';
import { asOpenMerchant } from '../../own-merchant.ts';
import { campaignDraft } from '../../render/draft.ts';

/**
 * `campaigns.saveDraft`: writes a draft whole, over the version that was read. One that became a
 * campaign changes no more: the chain has it as it was prepared.
 */
export const saveDraft: Handler<'campaigns.saveDraft'> = async ({ id, draft }, deps, caller) => {
  const { address: merchant } = caller.session;
  const found = await readLedger(deps.pool, (snapshot) => getDraft(snapshot, merchant, id));
  if (found?.campaignId) {
    throw new ConflictError(
      `The draft ${id} became campaign ${found.campaignId}, and changes no more: make a new one.`,
    );
  }
  const { version, ...content } = draft;
  const json = JSON.stringify(content, (_key, value: unknown) =>
    // PostgreSQL takes no half of a surrogate pair.
    typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value,
  );
  const now = new Date(deps.clock());
  const saved = await asOpenMerchant(deps.pool, merchant, (sql) =>
    writeDraft(sql, { merchant, id, version, json, now }),
  );
  switch (saved.outcome) {
    case 'saved':
      return { data: campaignDraft(saved.draft) };
    case 'missing':
      throw new NotFoundError(`You have no draft ${id}: version 0 makes a new one.`);
    case 'changed':
      throw new ConflictError(
        `The draft ${id} is at version ${saved.version} by now, not ${version}: read it again.`,
      );
    case 'full':
      throw new UnprocessableError(
        `You have ${DRAFTS_MOST} drafts, which is as many as there may be: delete one first.`,
      );
  }
};
