import { campaignPoliciesRead, type UsedPolicy } from '../../../db/read/campaigns/get.ts';
import { readOneAsOf } from '../../as-of.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { registeredPolicy } from '../../render/campaign.ts';

/** `campaigns.policy`: the version in effect at the settled block, and those after it. */
export const policy: Handler<'campaigns.policy'> = async ({ campaignId, atBlock }, deps) => {
  const { head, value } = await readOneAsOf(deps, atBlock, campaignPoliciesRead(campaignId));
  if (value === undefined) throw notFound(`There is no campaign ${campaignId}.`);
  const [current, ...scheduled] = value.policies.map((version: UsedPolicy) => ({
    ...registeredPolicy(deps.deployment, version),
    salesCount: version.salesCount,
  }));
  if (current === undefined) throw notFound(`Campaign ${campaignId} has no policy.`);
  return {
    data: { current, scheduled },
    chain: chainMeta(deps.deployment, head, value.campaign.newestBlock, value.campaign.campaignId),
  };
};
