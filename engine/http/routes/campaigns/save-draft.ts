import { MAX_DRAFTS, saveDraft as writeDraft } from '../../../db/commerce/campaign-drafts.ts';
import { getDraft } from '../../../db/read/campaigns/drafts.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { conflict, notFound, unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { answerDraft } from '../../resources/campaigns/answer-draft.ts';
import { asOpenMerchant } from '../../resources/merchants/own-merchant.ts';
import { withLowerHex } from '../../resources/publish/draft-input.ts';

/**
 * `campaigns.saveDraft`: replaces the version of a draft that was read; the same draft again changes nothing. A
 * published draft is immutable, because the chain has it as it was prepared.
 */
export const saveDraft: Handler<'campaigns.saveDraft'> = async ({ id, draft }, deps, caller) => {
  const { merchant } = caller;
  const found = await readLedger(deps.pool, (snapshot) => getDraft(snapshot, merchant, id));
  if (found?.campaignId) {
    throw conflict(
      `The draft ${id} became campaign ${found.campaignId} and cannot change: create a new one.`,
    );
  }
  const { version, ...content } = draft;
  const json = JSON.stringify(withLowerHex(content), (_key, value: unknown) =>
    // PostgreSQL rejects half of a surrogate pair.
    typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value,
  );
  const now = new Date(deps.clock());
  const saved = await asOpenMerchant(deps.pool, merchant, (sql) =>
    writeDraft(sql, { merchant, id, version, json, now }),
  );
  switch (saved.outcome) {
    case 'saved':
      return await answerDraft(deps, merchant, id);
    case 'missing':
      throw notFound(`You have no draft ${id}: version 0 creates a new one.`);
    case 'changed':
      throw conflict(
        `The draft ${id} is now at version ${saved.version}, not ${version}: read it again.`,
      );
    case 'full':
      throw unprocessable(`You have ${MAX_DRAFTS} drafts, which is the maximum: delete one first.`);
  }
};
