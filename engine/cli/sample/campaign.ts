import { type Hex, keccak256, maxUint256, toHex } from 'viem';
import { shortPathModes, trustModes } from '../../core/events.ts';
import { termsHash } from '../../core/terms.ts';
import { CampaignBook } from './book.ts';
import type { Actor } from './cast.ts';
import type { CommerceArgs } from './functions.ts';
import { type CampaignScript, type PolicyScript, skuOf } from './script.ts';
import { DAY_SECONDS, type Story } from './story.ts';
import { baseUnits } from './tokens.ts';

/** Far beyond the sample: when its campaigns and policies end, unless told otherwise. */
const FAR_DAY = 400;

/** A campaign as its plan goes along: its script, what its merchant did so far, and its book. */
export interface PlannedCampaign {
  readonly id: bigint;
  /** Names it in transactions, together with its id. */
  readonly termsHash: Hex;
  readonly script: CampaignScript;
  readonly merchant: Actor;
  readonly book: CampaignBook;
  /** Whether it takes sales and nodes: neither paused nor ended. */
  open: boolean;
  nodeCapacity: number;
  saleCapacity: number;
}

/** Creates a campaign, and funds it where its script has a budget. */
export function createCampaign(
  story: Story,
  script: CampaignScript,
  merchant: Actor,
): PlannedCampaign {
  const { cast } = story;
  story.last.campaign += 1n;
  const input = inputOf(story, script);
  const campaign: PlannedCampaign = {
    id: story.last.campaign,
    termsHash: termsHash((bytes) => keccak256(bytes, 'bytes'), {
      ...input,
      merchant: merchant.address,
      trustMode: script.trustMode,
    }),
    script,
    merchant,
    book: new CampaignBook(script.trustMode === 'NATIVE_ONCHAIN'),
    open: true,
    nodeCapacity: script.nodes.capacity,
    saleCapacity: script.sales.capacity,
  };
  story.commerce(merchant, `creates campaign ${campaign.id}, ${skuOf(script)}`, {
    functionName: 'createCampaign',
    args: [input, policyOf(story, script, script.policy)],
  });
  addPolicy(story, campaign, script.policy, story.now);
  campaign.book.prices.set(skuOf(script), baseUnits(script.token, script.price));
  if (script.trustMode === 'THIRD_PARTY_VERIFIED') {
    story.commerce(merchant, `lets ${cast.attester.name} attest`, {
      functionName: 'allowAttester',
      args: [campaign.id, cast.attester.address, true],
    });
  }
  if (script.budget !== null) fundCampaign(story, campaign, script.budget);
  return campaign;
}

/** @param amount whole tokens. */
export function fundCampaign(story: Story, campaign: PlannedCampaign, amount: string): void {
  const { id, merchant, script, book } = campaign;
  story.equip(merchant, script.token);
  const received = baseUnits(script.token, amount);
  story.commerce(merchant, `funds campaign ${id} with ${amount}`, {
    functionName: 'fund',
    args: [id, campaign.termsHash, received],
  });
  book.available += received;
}

/** @param effectiveAt unix seconds, at least an hour ahead. */
export function schedulePolicy(
  story: Story,
  campaign: PlannedCampaign,
  policy: PolicyScript,
  effectiveAt: number,
): void {
  const { id, merchant, script } = campaign;
  story.commerce(merchant, `schedules the next policy of campaign ${id}`, {
    functionName: 'schedulePolicy',
    args: [id, policyOf(story, script, policy), BigInt(effectiveAt)],
  });
  addPolicy(story, campaign, policy, effectiveAt);
}

/** keccak256 of a readable name: how the sample makes SKUs, order keys and reasons. */
export function hashOf(text: string): Hex {
  return keccak256(toHex(text));
}

function addPolicy(
  story: Story,
  { book, script }: PlannedCampaign,
  policy: PolicyScript,
  effectiveAt: number,
): void {
  const { commissionBps, weightsBps, maxRewardedAncestors, perSaleCap, campaignLiabilityCap } =
    policyOf(story, script, policy);
  book.policies.push({
    version: book.policies.length + 1,
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

function inputOf(story: Story, script: CampaignScript): CommerceArgs<'createCampaign'>[0] {
  return {
    token: story.cast.tokens[script.token].address,
    price: baseUnits(script.token, script.price),
    skuHash: hashOf(skuOf(script)),
    metadataHash: hashOf(`${skuOf(script)} campaign`),
    startsAt: BigInt(story.startTimestamp),
    endsAt: BigInt(story.timeOf(script.endsOnDay ?? FAR_DAY)),
    nodeCapacity: BigInt(script.nodes.capacity),
    saleCapacity: BigInt(script.sales.capacity),
    trustMode: trustModes.indexOf(script.trustMode),
    nodesPerAccount: 0,
    inviteOnly: script.inviteOnly ?? false,
    salt: hashOf(`${skuOf(script)} salt`),
  };
}

function policyOf(
  story: Story,
  { token }: CampaignScript,
  policy: PolicyScript,
): CommerceArgs<'createCampaign'>[1] {
  const cap = (amount: string | undefined) =>
    amount === undefined ? maxUint256 : baseUnits(token, amount);
  return {
    rewardToken: story.cast.tokens[token].address,
    commissionBps: policy.commissionBps,
    perSaleCap: cap(policy.perSaleCap),
    campaignLiabilityCap: cap(policy.campaignLiabilityCap),
    maxRewardedAncestors: policy.weightsBps.length,
    weightsBps: policy.weightsBps,
    shortPathMode: shortPathModes.indexOf(policy.shortPathMode),
    holdSeconds: policy.holdDays * DAY_SECONDS,
    expiry: BigInt(story.timeOf(FAR_DAY)),
    regions: policy.regions ?? [],
    sharingRules: policy.sharingRules ?? [],
  };
}
