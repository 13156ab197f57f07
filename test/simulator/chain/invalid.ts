import { maxUint256 } from 'viem';
import { type NonEmpty, nonEmpty } from '../dice.ts';
import { type Call, callOf } from './call.ts';
import { attestationOf, type Move } from './sales.ts';
import { type SeenCampaign, type Sight, trustModes } from './sight.ts';
import { anyCampaign, anyPolicy, hashOf } from './terms.ts';

const NOWHERE = 1_000_000n;
const REASON = hashOf('reason');

/** A call that the contract must refuse: it has to revert, and to leave no event. */
export const invalid: Move = async (sight, step) => {
  const campaign = await sight.anyCampaign();
  if (campaign === undefined) return undefined;
  const asked = [
    ...byStrangers(sight, campaign),
    ...ofNothing(sight),
    ...(await wrong(sight, campaign, step)),
  ];
  const some = nonEmpty(asked);
  return some === undefined ? undefined : sight.dice.pick(some);
};

/** What only the merchant may do, tried by somebody else. */
function byStrangers(sight: Sight, { id, merchant, skuHash }: SeenCampaign): Call[] {
  const { address } = sight.other(merchant);
  const error = 'NotMerchant';
  return [
    callOf(address, 'setVariantPrice', [id, skuHash, 1n], error),
    callOf(address, 'pause', [id], error),
    callOf(address, 'resume', [id], error),
    callOf(address, 'end', [id], error),
    callOf(address, 'allowDistributor', [id, address, true], error),
    callOf(address, 'allowAttester', [id, address, true], error),
    callOf(address, 'raiseCapacity', [id, NOWHERE, NOWHERE], error),
    callOf(address, 'claimProceeds', [id], error),
    callOf(address, 'withdrawSurplus', [id, 1n], error),
  ];
}

/** Calls that name a campaign, a node or a sale that is not there. */
function ofNothing(sight: Sight): NonEmpty<Call> {
  const { address } = sight.anybody();
  return [
    callOf(address, 'fund', [NOWHERE, 1n], 'UnknownCampaign'),
    callOf(address, 'join', [NOWHERE, 0n], 'UnknownCampaign'),
    callOf(address, 'claimRewards', [NOWHERE], 'UnknownCampaign'),
    callOf(address, 'buy', [NOWHERE, 0n, REASON, REASON, maxUint256, 0], 'UnknownCampaign'),
    callOf(address, 'finalize', [[NOWHERE]], 'UnknownSale'),
    callOf(address, 'refund', [NOWHERE, 1n, REASON, 0n, '0x'], 'UnknownSale'),
    callOf(address, 'reverse', [NOWHERE, REASON, 0n, '0x'], 'UnknownSale'),
  ];
}

/** Calls of the right people with something wrong in them. */
async function wrong(sight: Sight, campaign: SeenCampaign, step: number): Promise<Call[]> {
  const { id, merchant, skuHash } = campaign;
  const now = await sight.now();
  const input = anyCampaign(sight.market, sight.dice, now, 0);
  const policy = anyPolicy(sight.dice, campaign.token, now);
  const uneven = { ...policy, maxRewardedAncestors: 2, weightsBps: [5_000, 4_999] };
  const { address } = sight.anybody();
  const message = await attestationOf(sight, id, step);
  const native = campaign.trustMode === trustModes.native;
  const attested = native ? 'WrongTrustMode' : 'any';
  return [
    callOf(merchant.address, 'createCampaign', [{ ...input, price: 0n }, policy], 'ZeroAmount'),
    callOf(
      merchant.address,
      'createCampaign',
      [{ ...input, endsAt: 1n }, policy],
      'CampaignWindowEmpty',
    ),
    callOf(
      merchant.address,
      'createCampaign',
      [{ ...input, token: campaign.token }, uneven],
      'WeightSumWrong',
    ),
    callOf(merchant.address, 'schedulePolicy', [id, policy, now + 60n], 'EffectiveTooSoon'),
    callOf(merchant.address, 'schedulePolicy', [id, uneven, now + 9_000n], 'any'),
    callOf(merchant.address, 'setVariantPrice', [id, skuHash, 0n], 'ZeroAmount'),
    callOf(merchant.address, 'raiseCapacity', [id, 0n, 0n], 'CapacityFalls'),
    callOf(merchant.address, 'withdrawSurplus', [id, maxUint256], 'any'),
    callOf(address, 'fund', [id, 0n], 'ZeroAmount'),
    callOf(address, 'join', [id, NOWHERE], 'any'),
    callOf(
      address,
      'buy',
      [id, 0n, skuHash, hashOf(`order ${step}`), 0n, 0],
      native ? 'any' : 'WrongTrustMode',
    ),
    callOf(address, 'buy', [id, NOWHERE, skuHash, hashOf(`order ${step}`), maxUint256, 0], 'any'),
    callOf(address, 'recordAttestedSale', [message, `0x${'11'.repeat(65)}`], attested),
  ];
}
