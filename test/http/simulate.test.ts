import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ErrorBody } from '../../engine/contract/envelope.ts';
import { ApiFixture } from './support/api-fixture.ts';

const policy = {
  commissionBps: 1_000,
  maxRewardedAncestors: 2,
  weightsBps: [6_000, 4_000],
};

describe('studio.simulate', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
  });
  afterAll(() => fixture.close());

  it('responds before anything is settled, because it reads nothing', async () => {
    const { data, meta } = await fixture.client().studio.simulate({ policy, amount: '1005' });
    expect(meta.chain).toBeUndefined();
    expect(data).toMatchObject({
      policy: { shortPathMode: 'RENORMALIZE_EXISTING', perSaleCap: String((1n << 256n) - 1n) },
      gross: '100',
      liability: '0',
      available: null,
    });
    const [asGiven] = data.situations;
    expect(asGiven?.rows.map(({ pathLength, pool }) => [pathLength, pool])).toEqual([
      [0, '0'],
      [1, '100'],
      [2, '100'],
      [3, '100'],
    ]);
    expect(asGiven?.rows[2]?.levels.map(({ amount }) => amount)).toEqual(['60', '40']);
    expect(asGiven?.rows[3]).toMatchObject({ rewardedLevels: 2, unrewardedNodes: 1 });
  });

  it('returns the cost of each cap for each level', async () => {
    const { data } = await fixture.client().studio.simulate({
      policy: { ...policy, perSaleCap: '80', campaignLiabilityCap: '1000' },
      amount: '1000',
      liability: '950',
      available: '33',
      pathLengths: [2],
    });
    const asGiven = data.situations.find(({ situation }) => situation === 'AS_GIVEN');
    expect(asGiven?.caps.map(({ reason, after }) => [reason, after])).toEqual([
      ['SALE_CAP', '80'],
      ['LIABILITY_CAP', '50'],
      ['BUDGET', '33'],
    ]);
    expect(asGiven?.rows[0]?.levels[0]).toEqual({
      level: 1,
      weightBps: 6_000,
      floor: '19',
      remainder: '8000',
      rounding: '1',
      amount: '20',
      missed: [
        { reason: 'SALE_CAP', amount: '12' },
        { reason: 'LIABILITY_CAP', amount: '18' },
        { reason: 'BUDGET', amount: '11' },
      ],
    });
  });

  const wrong: [string, Record<string, unknown>][] = [
    ['policy.weightsBps', { policy: { ...policy, weightsBps: [6_000, 4_001] } }],
    ['policy.weightsBps', { policy: { ...policy, weightsBps: [10_000] } }],
    ['policy.weightsBps', { policy: { ...policy, weightsBps: [] } }],
    ['policy.weightsBps.1', { policy: { ...policy, weightsBps: [10_000, 0] } }],
    ['policy.commissionBps', { policy: { ...policy, commissionBps: 0 } }],
    ['policy.commissionBps', { policy: { ...policy, commissionBps: 10_001 } }],
    ['policy.maxRewardedAncestors', { policy: { ...policy, maxRewardedAncestors: 6 } }],
    ['policy.perSaleCap', { policy: { ...policy, perSaleCap: '0' } }],
    ['policy.perSaleCap', { policy: { ...policy, perSaleCap: String(1n << 256n) } }],
    ['policy.shortPathMode', { policy: { ...policy, shortPathMode: 'KEEP' } }],
    ['policy.holdSeconds', { policy: { ...policy, holdSeconds: 60 } }],
    ['amount', { amount: '0' }],
    ['amount', { amount: '01' }],
    ['amount', { amount: 1 }],
    ['amount', { amount: '9'.repeat(78) }],
    ['liability', { liability: '-1' }],
    ['available', { available: '1.5' }],
    ['pathLengths', { pathLengths: [] }],
    ['pathLengths', { pathLengths: [1, 1] }],
    ['pathLengths.0', { pathLengths: [21] }],
    ['extra', { extra: 1 }],
  ];

  it.each(wrong)('names the field %s if its value is invalid: %j', async (path, change) => {
    const response = await fixture.app().request('/v1/policies/simulate', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ policy, amount: '1000', ...change }),
    });
    expect(response.status).toBe(400);
    const { error } = ErrorBody.parse(await response.json());
    expect(z.array(z.object({ path: z.string() })).parse(error.issues)).toContainEqual({ path });
  });
});
