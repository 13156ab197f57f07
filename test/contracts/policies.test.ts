import { describe, expect, it } from 'vitest';
import { buyArgs } from './calls.ts';
import {
  buyFrom,
  createCampaign,
  inputFor,
  joinPath,
  openCampaign,
  type Policy,
  policyFor,
} from './scenes.ts';
import {
  by,
  day,
  genesisTime,
  hashOf,
  hour,
  maxUint256,
  mineAt,
  nextAt,
  now,
  refusal,
  sent,
  states,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();

async function refusedPolicy(w: World, changes: Partial<Policy>) {
  const args = [inputFor(w), policyFor(w, changes)] as const;
  return refusal(w.commerce.simulate.createCampaign(args, { account: w.merchant }));
}

function schedule(w: World, campaignId: bigint, effectiveAt: bigint, changes = {}) {
  const args = [campaignId, policyFor(w, changes), effectiveAt] as const;
  return sent(w, w.commerce.write.schedulePolicy(args, by(w.merchant)));
}

function refusedSchedule(w: World, campaignId: bigint, effectiveAt: bigint, changes = {}) {
  const args = [campaignId, policyFor(w, changes), effectiveAt] as const;
  return refusal(w.commerce.simulate.schedulePolicy(args, { account: w.merchant }));
}

async function versionAt(w: World, campaignId: bigint, timestamp: bigint) {
  return (await w.commerce.read.policyAt([campaignId, timestamp])).version;
}

describe('the bounds of a policy', () => {
  it('refuses a token, commission, cap, hold or expiry beyond the bounds of a policy', async () => {
    const w = world();
    expect(await refusedPolicy(w, { rewardToken: w.stranger })).toEqual({
      error: 'RewardTokenDiffers',
      values: [w.stranger, w.token.address],
    });
    for (const commissionBps of [0, 10_001]) {
      expect(await refusedPolicy(w, { commissionBps })).toEqual({
        error: 'CommissionOutOfBounds',
        values: [commissionBps],
      });
    }
    expect(await refusedPolicy(w, { perSaleCap: 0n })).toMatchObject({ error: 'ZeroCap' });
    expect(await refusedPolicy(w, { campaignLiabilityCap: 0n })).toMatchObject({
      error: 'ZeroCap',
    });
    for (const holdSeconds of [59, 7_776_001]) {
      expect(await refusedPolicy(w, { holdSeconds })).toEqual({
        error: 'HoldOutOfBounds',
        values: [holdSeconds],
      });
    }
    expect(await refusedPolicy(w, { expiry: 253_402_300_800n })).toEqual({
      error: 'TimeTooLate',
      values: [253_402_300_800n],
    });
    const present = await now(w);
    expect(await refusedPolicy(w, { expiry: genesisTime })).toMatchObject({
      error: 'PolicyExpiresTooSoon',
      values: [genesisTime, expect.toSatisfy((time: bigint) => time >= present)],
    });
  });

  it('refuses a cap of 2^128 − 1 to 2^256 − 2, and stores those on either side of them', async () => {
    const w = world();
    for (const field of ['perSaleCap', 'campaignLiabilityCap'] as const) {
      for (const cap of [2n ** 128n - 1n, 2n ** 128n, maxUint256 - 1n]) {
        expect(await refusedPolicy(w, { [field]: cap })).toEqual({
          error: 'CapTooLarge',
          values: [cap],
        });
      }
      for (const cap of [1n, 2n ** 128n - 2n, maxUint256]) {
        const campaignId = await createCampaign(w, {}, { [field]: cap });
        const stored = await w.commerce.read.policyAt([campaignId, maxUint256]);
        const other = field === 'perSaleCap' ? 'campaignLiabilityCap' : 'perSaleCap';
        expect([stored[field], stored[other]]).toEqual([cap, maxUint256]);
      }
    }
  });

  it('refuses a depth or weights beyond the bounds of a policy', async () => {
    const w = world();
    for (const depth of [0, 6]) {
      const weightsBps = Array<number>(depth).fill(1_000);
      expect(await refusedPolicy(w, { maxRewardedAncestors: depth, weightsBps })).toEqual({
        error: 'DepthOutOfBounds',
        values: [depth],
      });
    }
    expect(await refusedPolicy(w, { weightsBps: [10_000] })).toEqual({
      error: 'WeightCountWrong',
      values: [1n, 5],
    });
    const two = { maxRewardedAncestors: 2 };
    expect(await refusedPolicy(w, { ...two, weightsBps: [10_000, 0] })).toEqual({
      error: 'ZeroWeight',
      values: [2n],
    });
    for (const last of [4_999, 5_001]) {
      expect(await refusedPolicy(w, { ...two, weightsBps: [5_000, last] })).toEqual({
        error: 'WeightSumWrong',
        values: [5_000n + BigInt(last)],
      });
    }
  });

  it('refuses lists of a policy beyond 32 entries of 64 bytes', async () => {
    const w = world();
    for (const list of ['regions', 'sharingRules']) {
      expect(await refusedPolicy(w, { [list]: Array(33).fill('') })).toEqual({
        error: 'ListTooLong',
        values: [33n],
      });
      expect(await refusedPolicy(w, { [list]: ['EU', `${'x'.repeat(62)}€`] })).toEqual({
        error: 'TextTooLong',
        values: [65n],
      });
    }
    const full = Array<string>(32).fill('x'.repeat(64));
    expect(await createCampaign(w, {}, { regions: full, sharingRules: full })).toBe(1n);
  });

  it('accepts a policy with every field at its bound', async () => {
    const w = world();
    const least = { commissionBps: 1, perSaleCap: 1n, campaignLiabilityCap: 1n, holdSeconds: 60 };
    const most = { commissionBps: 10_000, holdSeconds: 7_776_000, expiry: 253_402_300_799n };
    const one = { maxRewardedAncestors: 1, weightsBps: [10_000] };
    expect(await createCampaign(w, {}, { ...least, ...one })).toBe(1n);
    expect(await createCampaign(w, {}, most)).toBe(2n);
  });
});

describe('schedulePolicy', () => {
  it('emits the next version of a policy', async () => {
    const w = world();
    await createCampaign(w);
    const effectiveAt = genesisTime + 2n * hour;
    const { events } = await schedule(w, 1n, effectiveAt, { commissionBps: 2_000 });
    const stored = await w.commerce.read.policyAt([1n, effectiveAt]);
    const policy = policyFor(w, { commissionBps: 2_000 });
    const { eligibilityHash, policyHash } = stored;
    expect(events).toEqual([
      {
        name: 'PolicyScheduled',
        args: { campaignId: 1n, version: 2, effectiveAt, policy, eligibilityHash, policyHash },
      },
    ]);
    const { regions: _, sharingRules: __, ...flat } = policy;
    expect(stored).toEqual({ ...flat, version: 2, effectiveAt, eligibilityHash, policyHash });
  });

  it('gives 3,600 seconds of notice, to the second', async () => {
    const w = world();
    await createCampaign(w);
    await mineAt(w, genesisTime + 100n);
    const earliest = genesisTime + 100n + hour;
    expect(await refusedSchedule(w, 1n, earliest - 1n)).toMatchObject({
      error: 'EffectiveTooSoon',
      values: [earliest - 1n, expect.toSatisfy((time: bigint) => time >= earliest)],
    });
    await nextAt(w, genesisTime + 200n);
    await schedule(w, 1n, genesisTime + 200n + hour);
    expect(await w.commerce.read.policyCount([1n])).toBe(2n);
  });

  it('checks a scheduled policy by the rules for a new campaign', async () => {
    const w = world();
    await createCampaign(w);
    const effectiveAt = genesisTime + day;
    expect(await refusedSchedule(w, 1n, effectiveAt, { expiry: effectiveAt })).toEqual({
      error: 'PolicyExpiresTooSoon',
      values: [effectiveAt, effectiveAt],
    });
    expect(await refusedSchedule(w, 1n, 253_402_300_800n)).toEqual({
      error: 'TimeTooLate',
      values: [253_402_300_800n],
    });
  });

  it('accepts four scheduled versions, and a fifth when one has taken effect', async () => {
    const w = world();
    await createCampaign(w);
    for (const i of [1n, 2n, 3n, 4n]) await schedule(w, 1n, genesisTime + i * day);
    const fifth = genesisTime + 5n * day;
    const full = { error: 'TooManyPoliciesWaiting', values: [1n] };
    expect(await refusedSchedule(w, 1n, fifth)).toEqual(full);
    await nextAt(w, genesisTime + day);
    await schedule(w, 1n, fifth);
    expect(await refusedSchedule(w, 1n, fifth)).toEqual(full);
  });

  it('leaves versions that a higher one has replaced out of the scheduled ones', async () => {
    const w = world();
    await createCampaign(w);
    for (const i of [10n, 10n, 10n, 1n]) await schedule(w, 1n, genesisTime + i * day);
    await nextAt(w, genesisTime + day);
    for (const i of [11n, 12n, 13n, 14n]) await schedule(w, 1n, genesisTime + i * day);
    expect(await versionAt(w, 1n, genesisTime + 10n * day)).toBe(5);
    expect(await versionAt(w, 1n, genesisTime + 11n * day)).toBe(6);
  });
});

describe('the policy in effect', () => {
  it('applies the highest version that is in effect', async () => {
    const w = world();
    await createCampaign(w);
    const createdAt = await now(w);
    await schedule(w, 1n, genesisTime + 3n * day);
    await schedule(w, 1n, genesisTime + 2n * day);
    expect(await versionAt(w, 1n, createdAt)).toBe(1);
    expect(await versionAt(w, 1n, genesisTime + 2n * day - 1n)).toBe(1);
    expect(await versionAt(w, 1n, genesisTime + 2n * day)).toBe(3);
    expect(await versionAt(w, 1n, genesisTime + 3n * day)).toBe(3);
    expect(await versionAt(w, 1n, maxUint256)).toBe(3);
    expect(await refusal(w.commerce.read.policyAt([1n, createdAt - 1n]))).toEqual({
      error: 'NoPolicyAt',
      values: [1n, createdAt - 1n],
    });
  });

  it('decides a sale by the timestamp of its block', async () => {
    const w = world();
    await openCampaign(w);
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    const effectiveAt = genesisTime + day;
    await schedule(w, 1n, effectiveAt, { commissionBps: 2_000, holdSeconds: 60 });
    await nextAt(w, effectiveAt - 1n);
    await buyFrom(w, 1n, 1n, 'before');
    await nextAt(w, effectiveAt);
    await buyFrom(w, 1n, 1n, 'after');
    expect(await w.commerce.read.sale([1n])).toMatchObject({
      policyVersion: 1,
      shares: [10_000_000n],
      holdUntil: effectiveAt - 1n + 600n,
    });
    expect(await w.commerce.read.sale([2n])).toMatchObject({
      policyVersion: 2,
      shares: [20_000_000n],
      holdUntil: effectiveAt + 60n,
    });
  });

  it('revives an expired campaign by a later expiry, before its endsAt', async () => {
    const w = world();
    const expiry = genesisTime + 2n * day;
    await openCampaign(w, {}, { expiry });
    await mineAt(w, expiry - 1n);
    expect(await w.commerce.read.campaignState([1n])).toBe(states.active);
    await mineAt(w, expiry);
    expect(await w.commerce.read.campaignState([1n])).toBe(states.expired);
    const revival = expiry + day;
    await schedule(w, 1n, revival, { expiry: genesisTime + 200n * day });
    await nextAt(w, revival);
    await buyFrom(w, 1n, 0n);
    expect(await w.commerce.read.campaignState([1n])).toBe(states.active);
    await mineAt(w, genesisTime + 100n * day);
    expect(await w.commerce.read.campaignState([1n])).toBe(states.expired);
    const order = await buyArgs(w, { orderKey: hashOf('late') });
    const call = w.commerce.simulate.buy(order, { account: w.buyer });
    expect(await refusal(call)).toEqual({ error: 'WrongState', values: [1n, states.expired] });
  });
});
