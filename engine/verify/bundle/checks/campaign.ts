import { type ChainLog, logsOf } from '../../chain/decode.ts';
import { differences, sameText } from '../../compare.ts';
import { conclude } from '../../conclude.ts';
import { termsProblems } from '../../terms.ts';
import type { ProvenSale } from '../evidence.ts';
import { campaignFigures } from '../receipt.ts';

/**
 * The campaign was created before the sale, its terms hash to what the chain registered, it pays its
 * rewards in its own token, was running, and the
 * sale was attested where the campaign's trust mode asks for it, and not where it does not
 * (design §3).
 */
export function checkCampaign({ subject, created }: ProvenSale, served: unknown) {
  const { campaignId } = subject.facts.record;
  if (created === undefined) {
    const problem = `The bundle proves no CampaignCreated of campaign ${campaignId} before the sale.`;
    return conclude('campaign', { pass: '', problems: [problem] });
  }
  const figures = { ...campaignFigures(created) };
  return conclude('campaign', {
    pass: `Campaign ${campaignId} of merchant ${figures.merchant} pays in token ${figures.token}, ${figures.trustMode}.`,
    problems: [
      ...attestationProblems(subject, created),
      ...timeProblems(subject, created),
      ...tokenProblems(subject, created),
      ...termsProblems(created),
    ],
    differences: differences('campaign', figures, served, sameText),
    evidence: figures,
  });
}

type Subject = ProvenSale['subject'];
type Created = ChainLog<'CampaignCreated'>;

/** The proven receipt of the sale's transaction is whole: an attestation that is not in it is nowhere. */
function attestationProblems({ facts }: Subject, { args }: Created): string[] {
  const attested = logsOf(facts.events, 'SaleAttested').length > 0;
  if (attested === (args.trustMode !== 'NATIVE_ONCHAIN')) return [];
  const was = attested ? 'was attested' : 'was not attested';
  return [`The sale ${was}, and its campaign is ${args.trustMode}.`];
}

function timeProblems({ soldAt }: Subject, { args }: Created): string[] {
  if (!soldAt.ok || (soldAt.value >= args.startsAt && soldAt.value < args.endsAt)) return [];
  return [
    `The sale was at ${soldAt.value}, and its campaign runs from ${args.startsAt} until ${args.endsAt} (unix seconds).`,
  ];
}

function tokenProblems({ policy }: Subject, { args }: Created): string[] {
  const token = policy.ok ? policy.value.scheduled?.args.policy.rewardToken : undefined;
  if (token === undefined || token === args.token) return [];
  return [`The policy rewards in token ${token}, the campaign’s is ${args.token}.`];
}
