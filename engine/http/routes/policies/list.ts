import { policyVersions } from '../../../db/read/policies/list.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';
import { registeredPolicy } from '../../render/campaign.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

/** `policies.list`: all versions of a campaign's policy, oldest first. */
export const list: Handler<'policies.list'> = async (input, deps) => {
  const { campaignId, atBlock } = input;
  const page = new ListPage('policies.list', input, { version: cursorId });
  const { after, limit } = page.query;
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const found = await policyVersions(snapshot, campaign, { after: after?.version, limit });
    const current = campaign.policy.version;
    const data = mapItems(page.of(found), (version) => ({
      ...registeredPolicy(deps.deployment, version),
      salesCount: version.salesCount,
      status: statusOf(version.version, current),
    }));
    return {
      data,
      chain: chainMeta(deps.deployment, snapshot.head, campaign.newestBlock, campaignId),
    };
  });
};

function statusOf(version: number, current: number): 'past' | 'current' | 'scheduled' {
  if (version === current) return 'current';
  return version < current ? 'past' : 'scheduled';
}
