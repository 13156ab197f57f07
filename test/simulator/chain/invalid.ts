import { maxUint128, maxUint256, zeroAddress } from 'viem';
import { type NonEmpty, nonEmpty } from '../dice.ts';
import { type Call, callOf } from './call.ts';
import { refusedOrders } from './orders.ts';
import { attestationOf, type Move, sign } from './sales.ts';
import { type SeenCampaign, type Sight, trustModes } from './sight.ts';
import { anyCampaign, anyPolicy, hashOf } from './terms.ts';

const NOWHERE = 1_000_000n;
const REASON = hashOf('reason');

/** A call that the contract must refuse: it has to revert, and to leave no event. */
export const invalid: Move = async (sight, step) => {
  const campaign = await sight.anyCampaign();
  if (campaign === undefined) return undefined;
  const requested = [
    ...byStrangers(sight, campaign),
    ...ofNothing(sight),
    ...(await redirected(sight, campaign, step)),
    ...(await wrong(sight, campaign, step)),
    ...(await refusedOrders(sight, campaign, step)),
  ];
  const some = nonEmpty(requested);
  return some === undefined ? undefined : sight.dice.pick(some);
};

/** Calls that only the merchant may make, tried by another account. */
function byStrangers(sight: Sight, { id, merchant, skuHash }: SeenCampaign): Call[] {
  const { address } = sight.other(merchant);
  const error = 'NotMerchant';
  return [
    callOf(address, 'setVariantPrice', [id, skuHash, 1n], error),
    callOf(address, 'pause', [id], error),
    callOf(address, 'resume', [id], error),
    callOf(address, 'end', [id], error),
    callOf(address, 'allowDistributor', [id, address, true], error),
    callOf(address, 'allowAttester', [id, address, 1n, 1n, NOWHERE], error),
    callOf(address, 'raiseCapacity', [id, NOWHERE, NOWHERE], error),
    callOf(address, 'claimProceeds', [id], error),
    callOf(address, 'withdrawSurplus', [id, 1n], error),
  ];
}

/** Calls that name a campaign, a node or a sale that is not there. */
function ofNothing(sight: Sight): NonEmpty<Call> {
  const { address } = sight.anybody();
  const nothing = { campaignId: NOWHERE, termsHash: REASON, buyer: address, orderKey: REASON };
  return [
    callOf(address, 'fund', [NOWHERE, REASON, 1n], 'UnknownCampaign'),
    callOf(address, 'join', [NOWHERE, REASON, 0n, zeroAddress], 'UnknownCampaign'),
    callOf(
      address,
      'buy',
      [NOWHERE, REASON, 0n, zeroAddress, REASON, REASON, maxUint256, 0],
      'UnknownCampaign',
    ),
    callOf(address, 'withdrawCredit', [NOWHERE, address], 'UnknownCampaign'),
    callOf(address, 'refund', [nothing, 1n, REASON, 0n, '0x'], 'UnknownCampaign'),
    callOf(address, 'reverse', [nothing, REASON, 0n, '0x'], 'UnknownCampaign'),
  ];
}

/** Calls that mean something else than what the chain has under that id, as after a reorg. */
async function redirected(sight: Sight, campaign: SeenCampaign, step: number): Promise<Call[]> {
  const { id, termsHash, merchant, skuHash } = campaign;
  const { address } = sight.anybody();
  const orderKey = hashOf(`order ${step}`);
  const node = await sight.anyNode(id);
  const owner = sight.other(merchant).address;
  const other = owner === node.owner ? merchant.address : owner;
  const order = [skuHash, orderKey, maxUint256, 0] as const;
  const unsold = { campaignId: id, termsHash, buyer: address, orderKey };
  const elsewhere = { ...unsold, termsHash: REASON };
  const attested = await attestationOf(sight, { id, termsHash: REASON }, step);
  return [
    callOf(merchant.address, 'fund', [id, REASON, 1n], 'WrongTerms'),
    callOf(address, 'join', [id, REASON, 0n, zeroAddress], 'WrongTerms'),
    callOf(address, 'buy', [id, REASON, 0n, zeroAddress, ...order], 'WrongTerms'),
    callOf(address, 'recordAttestedSale', [attested, '0x'], 'WrongTerms'),
    callOf(merchant.address, 'refund', [elsewhere, 1n, REASON, 0n, '0x'], 'WrongTerms'),
    callOf(merchant.address, 'reverse', [elsewhere, REASON, 0n, '0x'], 'WrongTerms'),
    callOf(merchant.address, 'refund', [unsold, 1n, REASON, 0n, '0x'], 'UnknownOrder'),
    callOf(merchant.address, 'reverse', [unsold, REASON, 0n, '0x'], 'UnknownOrder'),
    // Which error comes first depends on the state of the campaign.
    callOf(address, 'join', [id, termsHash, node.nodeId, other], 'any'),
    callOf(address, 'buy', [id, termsHash, node.nodeId, other, ...order], 'any'),
  ];
}

/** Calls of the right people with something wrong in them. */
async function wrong(sight: Sight, campaign: SeenCampaign, step: number): Promise<Call[]> {
  const { id, termsHash, merchant, skuHash } = campaign;
  const now = await sight.now();
  const input = anyCampaign(sight.market, sight.dice, now, 0);
  const policy = anyPolicy(sight.dice, campaign.token, now);
  const uneven = { ...policy, maxRewardedAncestors: 2, weightsBps: [5_000, 4_999] };
  const { address } = sight.anybody();
  const message = await attestationOf(sight, campaign, step);
  const native = campaign.trustMode === trustModes.native;
  const orderKey = hashOf(`order ${step}`);
  const attested = native ? 'WrongTrustMode' : 'any';
  const { attester } = sight.market;
  const above = { ...message, amount: 10_000_001n };
  const signed = await sign(sight, attester, { primaryType: 'SaleAttestation', message: above });
  return [
    // The limits of the attester are never so high, and where the merchant attests it may not.
    callOf(address, 'recordAttestedSale', [above, signed], attested),
    callOf(
      merchant.address,
      'allowAttester',
      [id, attester.address, 0n, 1n, now + 9_000n],
      'ZeroAmount',
    ),
    callOf(
      merchant.address,
      'allowAttester',
      [id, attester.address, 1n, 1n, now],
      'AttesterExpiresTooSoon',
    ),
    callOf(
      merchant.address,
      'allowAttester',
      [id, attester.address, maxUint128 + 1n, 1n, now + 9_000n],
      'AmountTooLarge',
    ),
    callOf(
      merchant.address,
      'createCampaign',
      [
        { ...input, token: campaign.token },
        { ...policy, perSaleCap: maxUint128 },
      ],
      'CapTooLarge',
    ),
    callOf(merchant.address, 'setVariantPrice', [id, skuHash, maxUint128 + 1n], 'AmountTooLarge'),
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
    callOf(address, 'fund', [id, termsHash, 0n], 'ZeroAmount'),
    callOf(address, 'join', [id, termsHash, NOWHERE, address], 'any'),
    callOf(
      address,
      'buy',
      [id, termsHash, 0n, zeroAddress, skuHash, orderKey, 0n, 0],
      native ? 'any' : 'WrongTrustMode',
    ),
    callOf(
      address,
      'buy',
      [id, termsHash, NOWHERE, address, skuHash, orderKey, maxUint256, 0],
      'any',
    ),
    callOf(address, 'recordAttestedSale', [message, `0x${'11'.repeat(65)}`], attested),
  ];
}
