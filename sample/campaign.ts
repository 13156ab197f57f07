import { type Hex, keccak256, maxUint256, toHex } from 'viem';
import { shortPathModes, trustModes } from '../engine/core/events.ts';
import { termsHash } from '../engine/core/terms.ts';
import type { Actor } from './actors.ts';
import type { CommerceArgs } from './functions.ts';
import { LedgerModel } from './ledger-model.ts';
import { type CampaignScenario, type PolicyScenario, skuOf } from './scenario.ts';
import { DAY_SECONDS, type Timeline } from './timeline.ts';
import { baseUnits } from './tokens.ts';

/** Day on which campaigns and policies end by default: long after the sample. */
const FAR_DAY = 400;

/** A campaign while it is planned: its scenario, its current settings and its ledger. */
export interface PlannedCampaign {
  readonly id: bigint;
  /** Names it in transactions, together with its id. */
  readonly termsHash: Hex;
  readonly scenario: CampaignScenario;
  readonly merchant: Actor;
  readonly ledger: LedgerModel;
  /** True if it accepts sales and nodes: it is neither paused nor ended. */
  open: boolean;
  nodeCapacity: number;
  saleCapacity: number;
}

/** Creates a campaign, and funds it if its scenario has a budget. */
export function createCampaign(
  timeline: Timeline,
  scenario: CampaignScenario,
  merchant: Actor,
): PlannedCampaign {
  const { actors } = timeline;
  timeline.last.campaign += 1n;
  const input = inputOf(timeline, scenario);
  const campaign: PlannedCampaign = {
    id: timeline.last.campaign,
    termsHash: termsHash((bytes) => keccak256(bytes, 'bytes'), {
      ...input,
      merchant: merchant.address,
      trustMode: scenario.trustMode,
    }),
    scenario,
    merchant,
    ledger: new LedgerModel(scenario.trustMode === 'NATIVE_ONCHAIN'),
    open: true,
    nodeCapacity: scenario.nodes.capacity,
    saleCapacity: scenario.sales.capacity,
  };
  timeline.call(merchant, `creates campaign ${campaign.id}, ${skuOf(scenario)}`, {
    functionName: 'createCampaign',
    args: [input, policyOf(timeline, scenario, scenario.policy)],
  });
  addPolicy(timeline, campaign, scenario.policy, timeline.now);
  campaign.ledger.prices.set(skuOf(scenario), baseUnits(scenario.token, scenario.price));
  if (scenario.trustMode === 'THIRD_PARTY_VERIFIED') {
    timeline.call(merchant, `lets ${actors.attester.name} attest`, {
      functionName: 'allowAttester',
      args: [campaign.id, actors.attester.address, true],
    });
  }
  if (scenario.budget !== null) fundCampaign(timeline, campaign, scenario.budget);
  return campaign;
}

/** Funds a campaign. @param amount whole tokens. */
export function fundCampaign(timeline: Timeline, campaign: PlannedCampaign, amount: string): void {
  const { id, merchant, scenario, ledger } = campaign;
  timeline.equip(merchant, scenario.token);
  const received = baseUnits(scenario.token, amount);
  timeline.call(merchant, `funds campaign ${id} with ${amount}`, {
    functionName: 'fund',
    args: [id, campaign.termsHash, received],
  });
  ledger.available += received;
}

/** Schedules the next policy. @param effectiveAt unix seconds, at least an hour ahead. */
export function schedulePolicy(
  timeline: Timeline,
  campaign: PlannedCampaign,
  policy: PolicyScenario,
  effectiveAt: number,
): void {
  const { id, merchant, scenario } = campaign;
  timeline.call(merchant, `schedules the next policy of campaign ${id}`, {
    functionName: 'schedulePolicy',
    args: [id, policyOf(timeline, scenario, policy), BigInt(effectiveAt)],
  });
  addPolicy(timeline, campaign, policy, effectiveAt);
}

/** keccak256 of a readable name, for SKUs, order keys and reasons of the sample. */
export function hashOf(text: string): Hex {
  return keccak256(toHex(text));
}

function addPolicy(
  timeline: Timeline,
  { ledger, scenario }: PlannedCampaign,
  policy: PolicyScenario,
  effectiveAt: number,
): void {
  const { commissionBps, weightsBps, maxRewardedAncestors, perSaleCap, campaignLiabilityCap } =
    policyOf(timeline, scenario, policy);
  ledger.policies.push({
    version: ledger.policies.length + 1,
    effectiveAt,
    holdSeconds: policy.holdDays * DAY_SECONDS,
    shortPathMode: policy.shortPathMode,
    commissionBps,
    weightsBps,
    maxRewardedAncestors,
    perSaleCap,
    campaignLiabilityCap,
  });
}

function inputOf(
  timeline: Timeline,
  scenario: CampaignScenario,
): CommerceArgs<'createCampaign'>[0] {
  return {
    token: timeline.actors.tokens[scenario.token].address,
    price: baseUnits(scenario.token, scenario.price),
    skuHash: hashOf(skuOf(scenario)),
    metadataHash: hashOf(`${skuOf(scenario)} campaign`),
    startsAt: BigInt(timeline.startTimestamp),
    endsAt: BigInt(timeline.timeOf(scenario.endsOnDay ?? FAR_DAY)),
    nodeCapacity: BigInt(scenario.nodes.capacity),
    saleCapacity: BigInt(scenario.sales.capacity),
    trustMode: trustModes.indexOf(scenario.trustMode),
    nodesPerAccount: 0,
    inviteOnly: scenario.inviteOnly ?? false,
    salt: hashOf(`${skuOf(scenario)} salt`),
  };
}

function policyOf(
  timeline: Timeline,
  { token }: CampaignScenario,
  policy: PolicyScenario,
): CommerceArgs<'createCampaign'>[1] {
  const cap = (amount: string | undefined) =>
    amount === undefined ? maxUint256 : baseUnits(token, amount);
  return {
    rewardToken: timeline.actors.tokens[token].address,
    commissionBps: policy.commissionBps,
    perSaleCap: cap(policy.perSaleCap),
    campaignLiabilityCap: cap(policy.campaignLiabilityCap),
    maxRewardedAncestors: policy.weightsBps.length,
    weightsBps: policy.weightsBps,
    shortPathMode: shortPathModes.indexOf(policy.shortPathMode),
    holdSeconds: policy.holdDays * DAY_SECONDS,
    expiry: BigInt(timeline.timeOf(FAR_DAY)),
    regions: policy.regions ?? [],
    sharingRules: policy.sharingRules ?? [],
  };
}
