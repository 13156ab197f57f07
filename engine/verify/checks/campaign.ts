import { keccak256 } from 'viem';
import { termsHash as hashTerms } from '../../core/terms.ts';
import { missingOf } from '../chain/answer.ts';
import { byLocation, type DecodedLog, logsOf } from '../chain/decode.ts';
import { conclude, type FoundFields } from '../conclude.ts';
import { isoTime } from '../receipt-fields.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

type Created = DecodedLog<'CampaignCreated'>;

/**
 * Checks that the campaign was created before the sale, its terms hash to the `termsHash` that names it in
 * every signed call, it pays rewards in its own token, was running, and that the sale was attested by whom
 * the trust mode requires, within the limits of an attester (docs/reference/protocol.md#campaigns).
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
    problems: [
      ...campaignProblems(subject, created.value),
      ...permissionProblems(subject, created.value),
    ],
    ...found,
    missing:
      created.value.args.trustMode === 'THIRD_PARTY_VERIFIED'
        ? missingOf(subject.facts.permissions)
        : [],
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
  const [attested] = logsOf(facts.events, 'SaleAttested');
  const { trustMode, merchant } = args;
  if ((attested !== undefined) !== (trustMode !== 'NATIVE_ONCHAIN')) {
    const was = attested ? 'was attested' : 'was not attested';
    return [`The sale ${was}, and its campaign is ${trustMode}.`];
  }
  if (attested === undefined) return [];
  const { signer } = attested.args;
  if ((signer === merchant) === (trustMode === 'MERCHANT_ATTESTED')) return [];
  const who = signer === merchant ? 'its merchant' : `${signer}, not by its merchant`;
  return [`The sale was attested by ${who}, and its campaign is ${trustMode}.`];
}

/** The attester must have been allowed, within the limits of one order and of one day (docs/reference/protocol.md#what-is-signed). */
function permissionProblems({ facts, soldAt }: Subject, { args }: Created): string[] {
  const [attested] = logsOf(facts.events, 'SaleAttested');
  if (args.trustMode !== 'THIRD_PARTY_VERIFIED' || attested === undefined) return [];
  if (!facts.permissions.ok) return [];
  const { signer } = attested.args;
  const { amount } = facts.record.args;
  const allowed = facts.permissions.value.findLast((log) => byLocation(log, facts.record) < 0);
  if (allowed === undefined || allowed.args.expiry === 0) {
    return [`The sale was attested by ${signer}, whom the merchant did not allow.`];
  }
  const { perOrder, daily, expiry } = allowed.args;
  const isLate = soldAt.ok && soldAt.value >= expiry;
  return [
    ...(isLate
      ? [`The permission of ${signer} ended at ${isoTime(expiry)}, before the sale.`]
      : []),
    ...(amount > perOrder
      ? [`The attester may attest ${perOrder} base units an order; the sale is of ${amount}.`]
      : []),
    ...(amount > daily
      ? [`The attester may attest ${daily} base units a day; the sale is of ${amount}.`]
      : []),
  ];
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
