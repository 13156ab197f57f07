import { z } from 'zod';
import { policyVersions } from '../../../db/read/policies/list.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { registeredPolicy } from '../../render/campaign.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

const METHOD = 'policies.list';
const Position = z.tuple([cursorId]);

/** `policies.list`: all versions of a campaign's policy, oldest first. */
export const list: Handler<'policies.list'> = async (input, deps) => {
  const { campaignId, atBlock, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const after = decodeCursor(scope, Position)?.[0];
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const found = await policyVersions(snapshot, campaign, { after, limit: limit + 1 });
    const { items, nextCursor } = pageOf(found, limit, scope, (one) => [String(one.version)]);
    const current = campaign.policy.version;
    const data = items.map((version) => ({
      ...registeredPolicy(deps.deployment, version),
      salesCount: version.salesCount,
      status: statusOf(version.version, current),
    }));
    return {
      data: { items: data, nextCursor },
      chain: chainMeta(deps.deployment, snapshot.head, campaign.newestBlock, campaignId),
    };
  });
};

function statusOf(version: number, current: number): 'past' | 'current' | 'scheduled' {
  if (version === current) return 'current';
  return version < current ? 'past' : 'scheduled';
}
