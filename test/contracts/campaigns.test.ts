import { encodeAbiParameters, keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { fundArgs } from './calls.ts';
import {
  type CampaignInput,
  createCampaign,
  funding,
  inputFor,
  metadataHash,
  type Policy,
  policyFor,
  price,
} from './scenes.ts';
import {
  by,
  day,
  genesisTime,
  hashOf,
  maxUint256,
  now,
  refusal,
  sent,
  sku,
  states,
  trustModes,
  useWorld,
  type World,
} from './support.ts';
import { termsHashOf } from './terms.ts';

const world = useWorld();

/** keccak256(abi.encode(regions, sharingRules)) (docs/reference/protocol.md#policy). */
function eligibilityHashOf({ regions, sharingRules }: Policy) {
  const types = [{ type: 'string[]' }, { type: 'string[]' }] as const;
  return keccak256(encodeAbiParameters(types, [regions, sharingRules]));
}

/** keccak256 of eleven flat arguments (docs/reference/protocol.md#policy). */
function policyHashOf(policy: Policy) {
  const types = [
    { type: 'address' },
    { type: 'uint16' },
    { type: 'uint256' },
    { type: 'uint256' },
    { type: 'uint8' },
    { type: 'uint16[]' },
    { type: 'uint8' },
    { type: 'uint32' },
    { type: 'uint64' },
    { type: 'bool' },
    { type: 'bytes32' },
  ] as const;
  return keccak256(
    encodeAbiParameters(types, [
      policy.rewardToken,
      policy.commissionBps,
      policy.perSaleCap,
      policy.campaignLiabilityCap,
      policy.maxRewardedAncestors,
      policy.weightsBps,
      policy.shortPathMode,
      policy.holdSeconds,
      policy.expiry,
      policy.excludesSelfReferral,
      eligibilityHashOf(policy),
    ]),
  );
}

function refusedInput(w: World, changes: Partial<CampaignInput>) {
  const args = [inputFor(w, changes), policyFor(w)] as const;
  return refusal(w.commerce.simulate.createCampaign(args, { account: w.merchant }));
}

describe('createCampaign', () => {
  it('emits the campaign, then version 1 of its policy, which takes effect immediately', async () => {
    const w = world();
    const policy = policyFor(w);
    const input = inputFor(w, { inviteOnly: true });
    const args = [input, policy] as const;
    const { events, timestamp } = await sent(
      w,
      w.commerce.write.createCampaign(args, by(w.merchant)),
    );
    expect(events).toEqual([
      {
        name: 'CampaignCreated',
        args: {
          campaignId: 1n,
          merchant: w.merchant,
          token: w.token.address,
          tokenDecimals: 6,
          tokenSymbol: 'TUSD',
          tokenName: 'Test Dollar',
          price,
          skuHash: sku,
          metadataHash,
          startsAt: genesisTime,
          endsAt: genesisTime + 100n * day,
          nodeCapacity: 100n,
          saleCapacity: 100n,
          trustMode: 0,
          inviteOnly: true,
          nodesPerAccount: 25,
          salt: input.salt,
          termsHash: termsHashOf(w.merchant, input),
        },
      },
      {
        name: 'PolicyScheduled',
        args: {
          campaignId: 1n,
          version: 1,
          effectiveAt: timestamp,
          policy,
          eligibilityHash: eligibilityHashOf(policy),
          policyHash: policyHashOf(policy),
        },
      },
    ]);
  });

  it('hashes a policy with empty lists and a short path as TypeScript does', async () => {
    const w = world();
    const policy = policyFor(w, {
      maxRewardedAncestors: 2,
      weightsBps: [9_999, 1],
      shortPathMode: 1,
      regions: [],
      sharingRules: [],
    });
    await sent(w, w.commerce.write.createCampaign([inputFor(w), policy], by(w.merchant)));
    const stored = await w.commerce.read.policyAt([1n, await now(w)]);
    expect(stored.policyHash).toBe(policyHashOf(policy));
    expect(stored.eligibilityHash).toBe(eligibilityHashOf(policy));
  });

  it('stores the campaign’s fields that a client reads', async () => {
    const w = world();
    const input = inputFor(w, {
      trustMode: 2,
      inviteOnly: true,
      saleCapacity: 7n,
      nodesPerAccount: 3,
    });
    await createCampaign(w, input);
    expect(await w.commerce.read.campaign([1n])).toEqual({
      merchant: w.merchant,
      token: w.token.address,
      skuHash: sku,
      metadataHash,
      startsAt: genesisTime,
      endsAt: genesisTime + 100n * day,
      nodeCapacity: 100n,
      saleCapacity: 7n,
      nodeCount: 0n,
      saleCount: 0n,
      trustMode: 2,
      inviteOnly: true,
      funded: false,
      paused: false,
      ended: false,
      nodesPerAccount: 3,
      termsHash: termsHashOf(w.merchant, input),
    });
    expect(await w.commerce.read.campaignState([1n])).toBe(states.unfunded);
    expect(await w.commerce.read.variantPrice([1n, sku])).toBe(price);
    expect(await w.commerce.read.policyCount([1n])).toBe(1n);
  });

  it('counts campaigns from 1', async () => {
    const w = world();
    expect(await createCampaign(w)).toBe(1n);
    expect(await createCampaign(w)).toBe(2n);
  });

  it('accepts the same terms once, and treats a difference in any field as other terms', async () => {
    const w = world();
    const { read, simulate, write } = w.commerce;
    const salt = hashOf('a salt');
    const input = inputFor(w, { salt });
    const termsHash = termsHashOf(w.merchant, input);
    expect(await read.campaignIdOf([termsHash])).toBe(0);
    await createCampaign(w, { salt });
    expect(await read.campaignIdOf([termsHash])).toBe(1);
    // The price, the dates and the policy are not part of the terms.
    const again = [{ ...input, price: 1n }, policyFor(w, { commissionBps: 1 })] as const;
    const as = { account: w.merchant };
    expect(await refusal(simulate.createCampaign(again, as))).toEqual({
      error: 'TermsUsed',
      values: [termsHash],
    });
    await sent(w, write.createCampaign([input, policyFor(w)], by(w.buyer)));
    expect(await read.campaignIdOf([termsHashOf(w.buyer, input)])).toBe(2);
    for (const changes of [
      { salt: hashOf('another salt') },
      { metadataHash: hashOf('other metadata') },
      { trustMode: trustModes.merchantAttested },
    ]) {
      const campaignId = await createCampaign(w, { salt, ...changes });
      const other = termsHashOf(w.merchant, { ...input, ...changes });
      expect(await read.campaign([campaignId])).toMatchObject({ termsHash: other });
      expect(await read.campaignIdOf([other])).toBe(Number(campaignId));
    }
  });

  it('refuses a price of zero', async () => {
    expect(await refusedInput(world(), { price: 0n })).toEqual({ error: 'ZeroAmount', values: [] });
  });

  it('refuses an end before the start, or in the past, or after the year 9999', async () => {
    const w = world();
    const startsAt = genesisTime + day;
    expect(await refusedInput(w, { startsAt, endsAt: startsAt })).toEqual({
      error: 'CampaignWindowEmpty',
      values: [startsAt, startsAt],
    });
    expect(await refusedInput(w, { startsAt: 0n, endsAt: genesisTime })).toEqual({
      error: 'CampaignWindowEmpty',
      values: [0n, genesisTime],
    });
    expect(await refusedInput(w, { endsAt: 253_402_300_800n })).toEqual({
      error: 'TimeTooLate',
      values: [253_402_300_800n],
    });
  });

  it('accepts the last second of the year 9999, and the largest capacities', async () => {
    const w = world();
    const input = { endsAt: 253_402_300_799n, nodeCapacity: 2n ** 53n - 1n, saleCapacity: 0n };
    expect(await createCampaign(w, input, { expiry: 253_402_300_799n })).toBe(1n);
  });

  it('refuses a capacity above 2^53 − 1', async () => {
    const w = world();
    const wanted = { error: 'CapacityTooLarge', values: [2n ** 53n] };
    expect(await refusedInput(w, { nodeCapacity: 2n ** 53n })).toEqual(wanted);
    expect(await refusedInput(w, { saleCapacity: 2n ** 53n })).toEqual(wanted);
  });
});

describe('fund', () => {
  it('adds the received amount to the vault, and activates the campaign', async () => {
    const w = world();
    await createCampaign(w);
    const { events } = await sent(
      w,
      w.commerce.write.fund(await fundArgs(w, 1n, funding), by(w.merchant)),
    );
    expect(events).toEqual([
      { name: 'CampaignFunded', args: { campaignId: 1n, account: w.merchant, amount: funding } },
    ]);
    expect(await w.commerce.read.campaignState([1n])).toBe(states.active);
    expect(await w.commerce.read.campaignLedger([1n])).toEqual({
      netDeposited: funding,
      available: funding,
      pendingReserved: 0n,
      vestedUnclaimed: 0n,
      rewardsClaimed: 0n,
      surplusWithdrawn: 0n,
      proceedsPending: 0n,
      proceedsClaimable: 0n,
      proceedsClaimed: 0n,
      buyerRefunded: 0n,
      creditOutstanding: 0n,
    });
    expect(await w.token.read.balanceOf([w.commerce.address])).toBe(funding);
  });

  it('accepts the first funding only from the merchant, and later ones from anyone', async () => {
    const w = world();
    await createCampaign(w);
    const { read, simulate, write } = w.commerce;
    const deposit = await fundArgs(w, 1n, 1n);
    expect(await refusal(simulate.fund(deposit, { account: w.buyer }))).toEqual({
      error: 'NotMerchant',
      values: [1n, w.buyer],
    });
    expect(await read.campaignState([1n])).toBe(states.unfunded);
    await sent(w, write.fund(deposit, by(w.merchant)));
    const { events } = await sent(w, write.fund(deposit, by(w.buyer)));
    expect(events).toEqual([
      { name: 'CampaignFunded', args: { campaignId: 1n, account: w.buyer, amount: 1n } },
    ]);
    expect(await read.campaignLedger([1n])).toMatchObject({ netDeposited: 2n });
  });

  it('refuses zero and an unknown campaign', async () => {
    const w = world();
    await createCampaign(w);
    const as = { account: w.merchant };
    expect(await refusal(w.commerce.simulate.fund(await fundArgs(w, 1n, 0n), as))).toEqual({
      error: 'ZeroAmount',
      values: [],
    });
    expect(await refusal(w.commerce.simulate.fund(await fundArgs(w, 2n, 1n), as))).toEqual({
      error: 'UnknownCampaign',
      values: [2n],
    });
  });

  it('refuses a caller that has not approved the transfer', async () => {
    const w = world();
    await createCampaign(w);
    await sent(w, w.commerce.write.fund(await fundArgs(w, 1n, 1n), by(w.merchant)));
    const as = { account: w.stranger };
    const { error } = await refusal(w.commerce.simulate.fund(await fundArgs(w, 1n, 1n), as));
    expect(error).toBe('0xfb8f41b2'); // ERC20InsufficientAllowance
  });
});

describe('a view', () => {
  it('refuses an unknown campaign, node or sale', async () => {
    const { read } = world().commerce;
    const { stranger } = world();
    const unknown = { error: 'UnknownCampaign', values: [1n] };
    expect(await refusal(read.campaign([1n]))).toEqual(unknown);
    expect(await refusal(read.campaignState([1n]))).toEqual(unknown);
    expect(await refusal(read.campaignLedger([1n]))).toEqual(unknown);
    expect(await refusal(read.claimableRewards([1n, stranger]))).toEqual(unknown);
    expect(await refusal(read.creditOf([1n, stranger]))).toEqual(unknown);
    expect(await refusal(read.nodeCountOf([1n, stranger]))).toEqual(unknown);
    expect(await refusal(read.policyAt([1n, maxUint256]))).toEqual(unknown);
    expect(await refusal(read.policyCount([1n]))).toEqual(unknown);
    expect(await refusal(read.quoteSale([1n, 0n, 1n]))).toEqual(unknown);
    expect(await refusal(read.node([1n]))).toEqual({ error: 'UnknownNode', values: [0n, 1n] });
    expect(await refusal(read.sale([1n]))).toEqual({ error: 'UnknownSale', values: [1n] });
  });

  it('returns the domain of signatures (ERC-5267)', async () => {
    const { commerce, client } = world();
    expect((await commerce.read.eip712Domain()).slice(1, 5)).toEqual([
      'Tributary',
      '3',
      BigInt(client.chain.id),
      commerce.address,
    ]);
    expect(await commerce.read.isNonceUsed([1n, commerce.address, 1n])).toBe(false);
    expect(await commerce.read.saleIdOf([1n, commerce.address, hashOf('x')])).toBe(0);
  });
});
