import { type DecodedLog, logsOf } from '../../chain/decode.ts';
import { termsProblems } from '../../checks/campaign.ts';
import { differences, sameText } from '../../compare.ts';
import { conclude } from '../../conclude.ts';
import type { ProvenSale } from '../evidence.ts';
import { campaignFields } from '../receipt.ts';

/**
 * Checks that the campaign was created before the sale, its terms hash to the value that the chain
 * registered, it pays rewards in its own token, was running, and that the sale was attested if and only
 * if the trust mode requires it (docs/protocol.md#campaigns).
 */
export function checkCampaign({ subject, created }: ProvenSale, served: unknown) {
  const { campaignId } = subject.facts.record;
  if (created === undefined) {
    const problem = `The bundle proves no CampaignCreated of campaign ${campaignId} before the sale.`;
    return conclude('campaign', { pass: '', problems: [problem] });
  }
  const fields = { ...campaignFields(created) };
  return conclude('campaign', {
    pass: `Campaign ${campaignId} of merchant ${fields.merchant} pays in token ${fields.token}, ${fields.trustMode}.`,
    problems: [
      ...attestationProblems(subject, created),
      ...timeProblems(subject, created),
      ...tokenProblems(subject, created),
      ...termsProblems(created),
    ],
    differences: differences('campaign', fields, served, sameText),
    evidence: fields,
  });
}

type Subject = ProvenSale['subject'];
type Created = DecodedLog<'CampaignCreated'>;

/** The proven receipt has all logs of the sale's transaction, so a missing attestation does not exist. */
function attestationProblems({ facts }: Subject, { args }: Created): string[] {
  const attested = logsOf(facts.events, 'SaleAttested').length > 0;
  if (attested === (args.trustMode !== 'NATIVE_ONCHAIN')) return [];
  const was = attested ? 'was attested' : 'was not attested';
  return [`The sale ${was}, and its campaign is ${args.trustMode}.`];
}

function timeProblems({ soldAt }: Subject, { args }: Created): string[] {
  if (!soldAt.ok || (soldAt.value >= args.startsAt && soldAt.value < args.endsAt)) return [];
  return [
    `The sale was at ${soldAt.value}, and its campaign runs from ${args.startsAt} until ${args.endsAt} (Unix seconds).`,
  ];
}

function tokenProblems({ policy }: Subject, { args }: Created): string[] {
  const token = policy.ok ? policy.value.scheduled?.args.policy.rewardToken : undefined;
  if (token === undefined || token === args.token) return [];
  return [`The policy rewards in token ${token}, the campaign’s is ${args.token}.`];
}
