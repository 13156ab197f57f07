import { campaignProblems } from '../../checks/campaign.ts';
import { differences, sameText } from '../../compare.ts';
import { conclude } from '../../conclude.ts';
import type { ProvenSale } from '../evidence.ts';
import { campaignFields } from '../receipt.ts';

/** Checks that the bundle proves the campaign, that the campaign allows the sale, and that its fields are served. */
export function checkCampaign({ subject, created }: ProvenSale, served: unknown) {
  const { campaignId } = subject.facts.record;
  if (created === undefined) {
    const problem = `The bundle proves no CampaignCreated of campaign ${campaignId} before the sale.`;
    return conclude('campaign', { pass: '', problems: [problem] });
  }
  const fields = { ...campaignFields(created) };
  return conclude('campaign', {
    pass: `Campaign ${campaignId} of merchant ${fields.merchant} pays in token ${fields.token}, ${fields.trustMode}.`,
    problems: campaignProblems(subject, created),
    differences: differences('campaign', fields, served, sameText),
    evidence: fields,
  });
}
