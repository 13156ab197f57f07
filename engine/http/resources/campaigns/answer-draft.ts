import type { z } from 'zod';
import type { CampaignDraft } from '../../../contract/shapes/draft.ts';
import type { Address } from '../../../core/events.ts';
import { getDraft } from '../../../db/read/campaigns/drafts.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type MethodResult } from '../../handler-types.ts';
import { campaignDraft } from '../../render/draft.ts';

/** Response with a draft of a merchant, what prevents its publication, and the campaign that it became. */
export async function answerDraft(
  { pool, deployment }: Pick<AppDeps, 'pool' | 'deployment'>,
  merchant: Address,
  id: string,
): Promise<MethodResult<z.infer<typeof CampaignDraft>>> {
  return await readLedger(pool, async (snapshot) => {
    const { head } = snapshot;
    const draft = await getDraft(snapshot, merchant, id);
    if (draft === undefined) throw notFound(`You have no draft ${id}.`);
    return { data: campaignDraft(draft, head.timestamp), chain: chainMeta(deployment, head) };
  });
}
