import { getDraft as readDraft } from '../../../db/read/campaigns/drafts.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { campaignDraft } from '../../render/draft.ts';

/** `campaigns.getDraft`: one of the caller's own drafts, and the campaign that it became. */
export const getDraft: Handler<'campaigns.getDraft'> = async ({ id }, deps, { session }) =>
  await readLedger(deps.pool, async (snapshot) => {
    const draft = await readDraft(snapshot, session.address, id);
    if (draft === undefined) throw notFound(`You have no draft ${id}.`);
    return { data: campaignDraft(draft), chain: chainMeta(deps.deployment, snapshot.head) };
  });
