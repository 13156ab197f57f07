import { keccak256 } from 'viem';
import { termsHash as hashTerms } from '../../core/terms.ts';
import type { DecodedLog } from '../chain/decode.ts';
import { differences } from '../compare.ts';
import { conclude } from '../conclude.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/**
 * Checks that the campaign was created before the sale, and that its terms hash to the `termsHash` that
 * names it in every signed call.
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

/** The problem of a campaign whose terms do not hash to the registered `termsHash`, as a sentence. */
export function termsProblems({ args }: DecodedLog<'CampaignCreated'>): string[] {
  const computed = hashTerms((bytes) => keccak256(bytes, 'bytes'), args);
  if (computed === args.termsHash) return [];
  return [`The campaign’s terms hash to ${computed}, but ${args.termsHash} is registered.`];
}
