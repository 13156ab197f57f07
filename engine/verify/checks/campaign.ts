import { differences } from '../compare.ts';
import { conclude } from '../conclude.ts';
import type { Subject } from '../subject.ts';
import { termsProblems } from '../terms.ts';
import type { Check } from '../types.ts';

/**
 * The campaign was created before the sale, and its terms hash to the `termsHash` that names it in
 * every signed call.
 */
export function checkCampaign({ facts, served }: Subject): Check<'campaign'> {
  const { campaignId } = facts.record;
  const { created } = facts;
  if (!created.ok) return conclude('campaign', { pass: '', missing: [created.reason] });
  if (created.value === undefined) {
    const problem = `The chain has no CampaignCreated of campaign ${campaignId} before the sale.`;
    return conclude('campaign', { pass: '', problems: [problem] });
  }
  const { merchant, token, trustMode, metadataHash, salt, termsHash } = created.value.args;
  return conclude('campaign', {
    pass: `Campaign ${campaignId} of merchant ${merchant} pays in token ${token}, ${trustMode}, and its terms hash to what the chain registered.`,
    problems: termsProblems(created.value),
    differences: served ? differences('', { termsHash }, served) : [],
    evidence: { merchant, token, trustMode, metadataHash, salt, termsHash },
  });
}
