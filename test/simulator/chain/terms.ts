import { type Hex, keccak256, maxUint256, toHex } from 'viem';
import type { CommerceArgs } from '../../../sample/functions.ts';
import type { Dice, NonEmpty } from '../dice.ts';
import type { Market } from './market.ts';

type CampaignInput = CommerceArgs<'createCampaign'>[0];
type PolicyInput = CommerceArgs<'createCampaign'>[1];

/** 32 bytes for something that a history makes up. */
export function hashOf(name: string): Hex {
  return keccak256(toHex(name));
}

/** Weights that are easy, awkward, and as small as they can be. */
const WEIGHTS: NonEmpty<readonly number[]> = [
  [10_000],
  [5_000, 3_000, 2_000],
  [3_333, 3_333, 3_334],
  [9_996, 1, 1, 1, 1],
  [1, 9_999],
  [4_000, 2_500, 1_500, 1_200, 800],
];

const DAY = 86_400n;

/** A policy with bounds that are met often: small caps, odd weights, short holds. */
export function anyPolicy(dice: Dice, rewardToken: Hex, now: bigint): PolicyInput {
  const weightsBps = dice.pick(WEIGHTS);
  return {
    rewardToken,
    commissionBps: dice.pick([1, 333, 1_000, 2_500, 10_000]),
    perSaleCap: dice.pick([maxUint256, maxUint256, 1n, 40_000n, 99_999n]),
    campaignLiabilityCap: dice.pick([maxUint256, maxUint256, maxUint256, 300_000n, 5_000_000n]),
    maxRewardedAncestors: weightsBps.length,
    weightsBps,
    shortPathMode: dice.below(2),
    holdSeconds: dice.pick([60, 60, 75, 120, 600]),
    expiry: now + DAY * BigInt(dice.pick([2, 60, 400, 400, 400])),
    excludesSelfReferral: dice.chance(30),
    regions: dice.pick([[], ['EU'], ['EU', 'US']]),
    sharingRules: dice.pick([[], ['no spam ✓']]),
  };
}

/** A campaign of one of the market's tokens, with prices from a few base units on. */
export function anyCampaign(
  { tokens }: Market,
  dice: Dice,
  now: bigint,
  trustMode: number,
): CampaignInput {
  const scarce = dice.chance(15);
  return {
    token: dice.pick(tokens),
    price: dice.pick([7n, 999n, 1_000_000n, 1_000_003n]),
    skuHash: hashOf('sku'),
    metadataHash: hashOf(`metadata ${dice.below(1_000_000)}`),
    startsAt: 0n,
    endsAt: now + DAY * BigInt(dice.pick([3, 90, 500, 500])),
    nodeCapacity: scarce ? 6n : 1_000_000n,
    saleCapacity: scarce ? 12n : 1_000_000n,
    trustMode,
    nodesPerAccount: dice.pick([0, 0, 1_000, 3]),
    inviteOnly: dice.chance(20),
    salt: hashOf(`salt ${dice.below(1_000_000_000)}`),
  };
}
