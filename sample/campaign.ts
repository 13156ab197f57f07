import { type Address, type Hex, keccak256, maxUint256, toHex, zeroHash } from 'viem';
import { type CampaignMetadata, metadataText } from '../engine/core/campaign-metadata.ts';
import {
  type ChainEvent,
  type EventArgs,
  shortPathModes,
  trustModes,
} from '../engine/core/events.ts';
import { applyAll, emptyCampaign, type FoldState } from '../engine/core/fold/index.ts';
import { termsHash } from '../engine/core/terms.ts';
import { hashPolicy } from '../engine/verify/policy-hash.ts';
import type { Actor } from './actors.ts';
import type { CommerceArgs } from './functions.ts';
import { firstReadyVersion } from './products.ts';
import { type CampaignScenario, type PolicyScenario, skuOf } from './scenario.ts';
import { DAY_SECONDS, type Timeline } from './timeline.ts';
import { baseUnits } from './tokens.ts';

/** Day on which campaigns and policies end by default: long after the sample. */
const FAR_DAY = 400;
/** Day from which the attester may attest no more. */
const ATTESTER_EXPIRY_DAY = 365;

/** A campaign while it is planned. */
export interface PlannedCampaign {
  readonly id: bigint;
  /** Names it in transactions, together with its id. */
  readonly termsHash: Hex;
  readonly scenario: CampaignScenario;
  readonly merchant: Actor;
  /** Price of each SKU that it sells, base units. */
  readonly prices: Map<string, bigint>;
  /** The ledger after the planned transactions; it allows no transaction that would fail. */
  ledger: FoldState;
}

/** Creates a campaign, and funds it if its scenario has a budget. */
export function createCampaign(
  timeline: Timeline,
  scenario: CampaignScenario,
  merchant: Actor,
): PlannedCampaign {
  timeline.last.campaign += 1n;
  const input = inputOf(timeline, scenario, merchant);
  const created = createdOf(timeline, scenario, merchant, input);
  const campaign: PlannedCampaign = {
    id: timeline.last.campaign,
    termsHash: created.termsHash,
    scenario,
    merchant,
    prices: new Map([[skuOf(scenario), created.price]]),
    ledger: emptyCampaign(String(timeline.last.campaign)),
  };
  foldEvents(timeline, campaign, [{ name: 'CampaignCreated', args: created }]);
  timeline.call(merchant, `creates campaign ${campaign.id}, ${skuOf(scenario)}`, {
    functionName: 'createCampaign',
    args: [input, policyOf(timeline, scenario, scenario.policy)],
  });
  foldPolicy(timeline, campaign, scenario.policy, timeline.now);
  if (scenario.attester) allowAttester(timeline, campaign, scenario.attester);
  if (scenario.budget !== null) fundCampaign(timeline, campaign, scenario.budget);
  return campaign;
}

/** Lets the sample's attester attest sales of a campaign for a year. */
function allowAttester(
  timeline: Timeline,
  campaign: PlannedCampaign,
  limits: NonNullable<CampaignScenario['attester']>,
): void {
  const { name, address: account } = timeline.actors.attester;
  const amountOf = (amount: string) => baseUnits(campaign.scenario.token, amount);
  const [perOrder, daily] = [amountOf(limits.perOrder), amountOf(limits.daily)];
  const expiry = timeline.timeOf(ATTESTER_EXPIRY_DAY);
  timeline.call(campaign.merchant, `lets ${name} attest`, {
    functionName: 'allowAttester',
    args: [campaign.id, account, perOrder, daily, BigInt(expiry)],
  });
  const args = { account, perOrder, daily, expiry };
  foldEvents(timeline, campaign, [{ name: 'AttesterAllowed', args }]);
}

/** Funds a campaign. @param amount whole tokens. */
export function fundCampaign(timeline: Timeline, campaign: PlannedCampaign, amount: string): void {
  const { id, merchant, scenario } = campaign;
  timeline.equip(merchant, scenario.token);
  const received = baseUnits(scenario.token, amount);
  timeline.call(merchant, `funds campaign ${id} with ${amount}`, {
    functionName: 'fund',
    args: [id, campaign.termsHash, received],
  });
  const args = { account: merchant.address, amount: received };
  foldEvents(timeline, campaign, [{ name: 'CampaignFunded', args }]);
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
  foldPolicy(timeline, campaign, policy, effectiveAt);
}

/** keccak256 of a readable name, for SKUs, order keys and reasons of the sample. */
export function hashOf(text: string): Hex {
  return keccak256(toHex(text));
}

/**
 * Folds the events that a planned transaction will emit.
 * @throws if the contract would not have emitted them: the plan is wrong.
 */
export function foldEvents(
  timeline: Timeline,
  campaign: PlannedCampaign,
  events: readonly ChainEvent[],
): void {
  const { campaignId } = campaign.ledger;
  // A plan has no blocks yet: only the time of its events counts.
  const position = {
    ...{ campaignId, id: '0', timestamp: timeline.now, logIndex: 0 },
    ...{ blockNumber: 0, blockHash: zeroHash, transactionHash: zeroHash },
  };
  const facts = events.map((event) => ({ ...position, ...event }));
  const { state, applied } = applyAll(campaign.ledger, facts);
  const [wrong] = applied.flatMap(({ discrepancies }) => discrepancies);
  if (wrong) throw new Error(`Campaign ${campaignId} of the sample: ${JSON.stringify(wrong)}`);
  campaign.ledger = state;
}

/** True if it accepts sales and nodes: it is neither paused nor ended. */
export function isOpen({ ledger: { snapshot } }: PlannedCampaign): boolean {
  return !snapshot.paused && !snapshot.ended;
}

function foldPolicy(
  timeline: Timeline,
  campaign: PlannedCampaign,
  scenario: PolicyScenario,
  effectiveAt: number,
): void {
  const { shortPathMode } = scenario;
  const { expiry, ...policy } = policyOf(timeline, campaign.scenario, scenario);
  const args = {
    version: campaign.ledger.policies.length + 1,
    effectiveAt,
    policy: { ...policy, expiry: Number(expiry), shortPathMode },
    // Of no use to a plan.
    eligibilityHash: zeroHash,
    policyHash: zeroHash,
  };
  foldEvents(timeline, campaign, [{ name: 'PolicyScheduled', args }]);
}

/** The event of a campaign's creation. */
function createdOf(
  timeline: Timeline,
  { token, trustMode }: CampaignScenario,
  { address: merchant }: Actor,
  input: CommerceArgs<'createCampaign'>[0],
): EventArgs<'CampaignCreated'> {
  const { decimals, symbol, name } = timeline.actors.tokens[token];
  return {
    ...input,
    ...{ merchant, trustMode, tokenDecimals: decimals, tokenSymbol: symbol, tokenName: name },
    startsAt: Number(input.startsAt),
    endsAt: Number(input.endsAt),
    nodeCapacity: Number(input.nodeCapacity),
    saleCapacity: Number(input.saleCapacity),
    termsHash: termsHash((bytes) => keccak256(bytes, 'bytes'), { ...input, merchant, trustMode }),
  };
}

function inputOf(
  timeline: Timeline,
  scenario: CampaignScenario,
  merchant: Actor,
): CommerceArgs<'createCampaign'>[0] {
  const metadata = metadataOf(timeline, scenario, merchant);
  return {
    ...termsOf(timeline, scenario),
    // A merchant that used no service for it published a text of its own.
    metadataHash: metadata?.metadataHash ?? hashOf(`${skuOf(scenario)} campaign`),
    salt: hashOf(`${skuOf(scenario)} salt`),
  };
}

/** The text behind a campaign's `metadataHash`. */
export interface SampleMetadata {
  readonly merchant: Address;
  readonly metadataHash: Hex;
  /** The text that it is the hash of. */
  readonly content: string;
  readonly product: CampaignMetadata['product'];
}

/**
 * Metadata of a campaign, as the service would have prepared it from a draft; `undefined` if the sample has no
 * product of it.
 */
export function metadataOf(
  timeline: Timeline,
  scenario: CampaignScenario,
  { address }: Actor,
): SampleMetadata | undefined {
  const version = firstReadyVersion(skuOf(scenario));
  if (version === undefined) return undefined;
  const { actors, chainId } = timeline;
  const { token, trustMode, ...terms } = termsOf(timeline, scenario);
  const policy = policyOf(timeline, scenario, scenario.policy);
  const bytes = (list: readonly string[]) => list.map((text) => toHex(text));
  const { policyHash } = hashPolicy({
    ...policy,
    regions: bytes(policy.regions),
    sharingRules: bytes(policy.sharingRules),
  });
  const merchant = lowerCase(address);
  const product = { id: scenario.key, version };
  const content = metadataText({
    chainId,
    contract: lowerCase(actors.contractAddress),
    merchant,
    draft: { id: scenario.key, number: '1' },
    product,
    campaign: { ...terms, token: lowerCase(token), trustMode: scenario.trustMode },
    policyHash,
    funding: baseUnits(scenario.token, scenario.budget ?? '0').toString(),
  });
  return { merchant, metadataHash: hashOf(content), content, product };
}

/** An address as the ledger and texts have it: viem's have a checksum in their case. */
function lowerCase(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}

function termsOf(
  timeline: Timeline,
  scenario: CampaignScenario,
): Omit<CommerceArgs<'createCampaign'>[0], 'metadataHash' | 'salt'> {
  return {
    token: timeline.actors.tokens[scenario.token].address,
    price: baseUnits(scenario.token, scenario.price),
    skuHash: hashOf(skuOf(scenario)),
    startsAt: BigInt(timeline.startTimestamp),
    endsAt: BigInt(timeline.timeOf(scenario.endsOnDay ?? FAR_DAY)),
    nodeCapacity: BigInt(scenario.nodes.capacity),
    saleCapacity: BigInt(scenario.sales.capacity),
    trustMode: trustModes.indexOf(scenario.trustMode),
    nodesPerAccount: 0,
    inviteOnly: scenario.inviteOnly ?? false,
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
    excludesSelfReferral: policy.excludesSelfReferral ?? false,
    regions: policy.regions ?? [],
    sharingRules: policy.sharingRules ?? [],
  };
}
