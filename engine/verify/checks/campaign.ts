import { keccak256 } from 'viem';
import { termsHash as hashTerms } from '../../core/terms.ts';
import { type DecodedLog, logsOf } from '../chain/decode.ts';
import { conclude, type FoundFields } from '../conclude.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

type Created = DecodedLog<'CampaignCreated'>;

/**
 * Checks that the campaign was created before the sale, its terms hash to the `termsHash` that names it in
 * every signed call, it pays rewards in its own token, was running, and that the sale was attested if and
 * only if the trust mode requires it (docs/reference/protocol.md#campaigns).
 */
export function checkCampaign(subject: Subject, found: FoundFields): Check<'campaign'> {
  const { campaignId } = subject.facts.record;
  const { created } = subject.facts;
  if (!created.ok) return conclude('campaign', { pass: '', missing: [created.reason] });
  if (created.value === undefined) {
    const problem = `The chain has no CampaignCreated of campaign ${campaignId} before the sale.`;
    return conclude('campaign', { pass: '', problems: [problem] });
  }
  const { merchant, token, trustMode, metadataHash, salt, termsHash } = created.value.args;
  return conclude('campaign', {
    pass: `Campaign ${campaignId} of merchant ${merchant} pays in token ${token}, ${trustMode}, and its terms hash to what the chain registered.`,
    problems: campaignProblems(subject, created.value),
    ...found,
    evidence: { merchant, token, trustMode, metadataHash, salt, termsHash },
  });
}

/** Violations of the protocol by a sale in its campaign, as sentences. */
export function campaignProblems(subject: Subject, created: Created): string[] {
  return [
    ...attestationProblems(subject, created),
    ...timeProblems(subject, created),
    ...tokenProblems(subject, created),
    ...termsProblems(created),
  ];
}

/** All logs of the sale are known, so an attestation that is not among them does not exist. */
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

/** The terms must hash to the registered `termsHash`. */
function termsProblems({ args }: Created): string[] {
  const computed = hashTerms((bytes) => keccak256(bytes, 'bytes'), args);
  if (computed === args.termsHash) return [];
  return [`The campaign’s terms hash to ${computed}, but ${args.termsHash} is registered.`];
}
