import { getDraft as readDraft } from '../../../db/read/campaign-drafts.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { campaignDraft } from '../../render/draft.ts';

/** `campaigns.getDraft`: a draft of one's own, and the campaign that it became. */
export const getDraft: Handler<'campaigns.getDraft'> = async ({ id }, deps, { session }) =>
  await readLedger(deps.pool, async (snapshot) => {
    const draft = await readDraft(snapshot, session.address, id);
    if (draft === undefined) throw new NotFoundError(`You have no draft ${id}.`);
    return { data: campaignDraft(draft), chain: chainMeta(deps.deployment, snapshot.head) };
  });
