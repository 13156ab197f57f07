import type { Handler } from '../../handler-types.ts';
import { answerDraft } from '../../resources/campaigns/answer-draft.ts';

/** `campaigns.getDraft`: one of the caller's own drafts, and the campaign that it became. */
export const getDraft: Handler<'campaigns.getDraft'> = async ({ id }, deps, { merchant }) =>
  await answerDraft(deps, merchant, id);
