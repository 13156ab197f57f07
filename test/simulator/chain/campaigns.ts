import { type Hex, zeroAddress } from 'viem';
import { type Call, callOf } from './call.ts';
import { fundByOrder, joinByOrder } from './orders.ts';
import type { Move } from './sales.ts';
import { campaignStates, type SeenCampaign, type Sight } from './sight.ts';
import { anyCampaign, anyPolicy, hashOf } from './terms.ts';

/** A campaign of that trust mode, by one of the merchants. */
export async function createCampaign(
  sight: Sight,
  trustMode: number,
  changes: { readonly token?: Hex } = {},
): Promise<Call> {
  const { market, dice } = sight;
  const now = await sight.now();
  const input = { ...anyCampaign(market, dice, now, trustMode), ...changes };
  const policy = anyPolicy(dice, input.token, now);
  return callOf(dice.pick(market.merchants).address, 'createCampaign', [input, policy]);
}

/** First calls of a campaign: money, an attester, and nodes of two accounts that may join. */
export async function opening(sight: Sight, campaignId: bigint): Promise<Call[]> {
  const { id, termsHash, merchant } = await sight.campaign(campaignId);
  const { attester } = sight.market;
  const calls = [
    callOf(merchant.address, 'fund', [id, termsHash, 50_000_000n]),
    callOf(merchant.address, 'allowAttester', [
      ...([id, attester.address, 10_000_000n, 60_000_000n] as const),
      (await sight.now()) + 40_000_000n,
    ]),
  ];
  for (const { address } of [sight.anybody(), sight.anybody()]) {
    calls.push(callOf(merchant.address, 'allowDistributor', [id, address, true]));
    calls.push(callOf(address, 'join', [id, termsHash, 0n, zeroAddress]));
  }
  return calls;
}

/** A move in some campaign. */
function inCampaign(make: (campaign: SeenCampaign, sight: Sight) => Call | Promise<Call>): Move {
  return async (sight) => {
    const campaign = await sight.anyCampaign();
    return campaign === undefined ? undefined : await make(campaign, sight);
  };
}

/** A merchant's move in one of its campaigns that needs no more than the campaign's id. */
function byMerchant(functionName: 'pause' | 'end'): Move {
  return inCampaign(({ id, merchant }) => callOf(merchant.address, functionName, [id]));
}

/** A merchant takes what finalized sales brought in, where they did. */
export const claimProceeds: Move = async (sight) => {
  let campaign = await sight.anyCampaign();
  for (let tries = 0; tries < 8 && campaign !== undefined; tries += 1) {
    const { proceedsClaimable } = await sight.ledger(campaign.id);
    if (proceedsClaimable > 0n) break;
    campaign = await sight.anyCampaign();
  }
  if (campaign === undefined) return undefined;
  return callOf(campaign.merchant.address, 'claimProceeds', [campaign.id]);
};

export const pause = byMerchant('pause');

export const resume: Move = async (sight) => {
  const campaign = await sight.campaignIn(campaignStates.paused);
  if (campaign === undefined) return undefined;
  return callOf(campaign.merchant.address, 'resume', [campaign.id]);
};
export const end = byMerchant('end');

export const create: Move = (sight) => createCampaign(sight, sight.dice.below(3));

/** The merchant opens a campaign; once it is open, anybody may add to it. */
export const fund: Move = async (sight, step) => {
  const campaign = await sight.anyCampaign();
  if (campaign === undefined) return undefined;
  const { id: campaignId, termsHash, merchant } = campaign;
  const amount = BigInt(sight.dice.pick([5, 1_000, 250_000, 100_000_000]));
  const isOpen = (await sight.ledger(campaignId)).netDeposited > 0n;
  const account = isOpen ? sight.anybody() : merchant;
  if (sight.dice.chance(30)) {
    const salt = hashOf(`order ${step}`);
    return await fundByOrder(sight, account, { campaignId, termsHash, amount, salt });
  }
  return callOf(account.address, 'fund', [campaignId, termsHash, amount]);
};

export const join: Move = async (sight, step) => {
  const campaign = await sight.campaignIn(campaignStates.active);
  if (campaign === undefined) return undefined;
  const parent = await sight.anyNode(campaign.id);
  const { id: campaignId, termsHash } = campaign;
  const account = sight.anybody();
  if (sight.dice.chance(30)) {
    const under = { parentNodeId: parent.nodeId, parentOwner: parent.owner };
    const order = { campaignId, termsHash, ...under, salt: hashOf(`order ${step}`) };
    return await joinByOrder(sight, account, order);
  }
  return callOf(account.address, 'join', [campaignId, termsHash, parent.nodeId, parent.owner]);
};

/** Who has something to claim claims it. */
export const claimRewards: Move = async (sight) => {
  for (let tries = 0; tries < 12; tries += 1) {
    const campaign = await sight.anyCampaign();
    if (campaign === undefined) return undefined;
    const { address } = sight.anybody();
    const claimable = await sight.claimable(campaign.id, address);
    if (claimable === 0n) continue;
    // Names it twice now and then, and one that may have nothing to claim: both are skipped.
    const others = sight.dice.chance(30) ? [campaign.id, 1n] : [];
    return callOf(address, 'claimRewards', [[campaign.id, ...others]]);
  }
  return undefined;
};

/** Withdraws the surplus of a campaign that has ended, or whose policy has expired. */
export const withdrawSurplus: Move = async (sight) => {
  for (let tries = 0; tries < 12; tries += 1) {
    const campaign = await sight.anyCampaign();
    if (campaign === undefined) return undefined;
    const { available } = await sight.ledger(campaign.id);
    const state = await sight.stateOf(campaign.id);
    // An expired policy alone is refused: now and then it is tried.
    const isOver = state === campaignStates.ended || sight.dice.chance(10);
    if (available === 0n || state < campaignStates.ended || !isOver) continue;
    const amount = sight.dice.pick([1n, available, available / 2n + 1n, available + 1n]);
    return callOf(campaign.merchant.address, 'withdrawSurplus', [campaign.id, amount]);
  }
  return undefined;
};

export const setVariantPrice = inCampaign(({ id, merchant, skuHash }, { dice }) => {
  const variant = dice.chance(50) ? skuHash : hashOf('another variant');
  const price = BigInt(dice.pick([3, 1_001, 750_000]));
  return callOf(merchant.address, 'setVariantPrice', [id, variant, price]);
});

export const schedulePolicy = inCampaign(async ({ id, merchant, token }, sight) => {
  const effectiveAt = (await sight.now()) + BigInt(sight.dice.pick([3_610, 4_000, 9_000]));
  const policy = anyPolicy(sight.dice, token, effectiveAt);
  return callOf(merchant.address, 'schedulePolicy', [id, policy, effectiveAt]);
});

export const allowDistributor = inCampaign(({ id, merchant }, sight) => {
  const args = [id, sight.anybody().address, sight.dice.chance(85)] as const;
  return callOf(merchant.address, 'allowDistributor', args);
});

/** Limits that are met often, some that end soon, and now and then none at all. */
export const allowAttester = inCampaign(async ({ id, merchant }, sight) => {
  const { dice, market } = sight;
  const perOrder = dice.pick([1_000n, 300_000n, 10_000_000n, 10_000_000n]);
  const daily = dice.pick([300_000n, 9_000_001n, 60_000_000n]);
  const seconds = dice.pick([100n, 5_000n, 200_000n, 40_000_000n, 40_000_000n]);
  const limits = dice.chance(15)
    ? ([0n, 0n, 0n] as const)
    : ([perOrder, daily, (await sight.now()) + seconds] as const);
  return callOf(merchant.address, 'allowAttester', [id, market.attester.address, ...limits]);
});

export const raiseCapacity = inCampaign((campaign, { dice }) => {
  const nodes = campaign.nodeCapacity + BigInt(dice.below(4));
  const sales = campaign.saleCapacity + BigInt(dice.below(9));
  return callOf(campaign.merchant.address, 'raiseCapacity', [campaign.id, nodes, sales]);
});
