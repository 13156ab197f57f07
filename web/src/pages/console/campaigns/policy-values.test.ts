import { describe, expect, it } from 'vitest';
import {
  defaultWeights,
  type PolicyTerms,
  policyField,
  policyTerms,
  policyValues,
  proposedPolicy,
  readHold,
  validTerms,
  weightsRest,
} from './policy-values.ts';

const terms: PolicyTerms = {
  commissionBps: 1_233,
  maxRewardedAncestors: 3,
  weightsBps: [5_001, 2_999, 2_000],
  shortPathMode: 'RETURN_UNUSED',
  perSaleCap: '1500001',
  holdSeconds: 5_400,
  excludesSelfReferral: true,
  regions: ['US', 'CA'],
  sharingRules: ['Say "ad", always', 'No spam'],
};

describe('the form of a policy', () => {
  it('gives back the policy that it was filled with, to the base unit and the basis point', () => {
    expect(policyTerms(policyValues(terms, 6), 6)).toEqual(terms);
  });

  it('shows no cap as an empty field', () => {
    const none = ((1n << 256n) - 1n).toString();
    const values = policyValues({ ...terms, perSaleCap: none }, 6);
    expect(values.perSaleCap).toBe('');
    expect(policyTerms(values, 6)).not.toHaveProperty('perSaleCap');
  });

  it('excludes self-referral in a new policy, and as the API does in one that leaves it out', () => {
    const { excludesSelfReferral: _left, ...without } = terms;
    expect(policyValues(proposedPolicy, 6).excludesSelfReferral).toBe(true);
    expect(policyTerms(policyValues(without, 6), 6).excludesSelfReferral).toBe(false);
  });

  it('returns no policy while weights do not add up to 100 %', () => {
    const values = policyValues(terms, 6);
    const wrong = { ...values, weights: [{ weight: '50' }, { weight: '49.99' }] };
    expect(weightsRest(wrong)).toBe(1n);
    expect(validTerms(wrong, 6)).toBeUndefined();
    expect(validTerms({ ...values, rate: 'ten' }, 6)).toBeUndefined();
  });

  it('proposes weights that add up to 100 % for every number of levels', () => {
    for (const levels of [1, 2, 3, 4, 5]) {
      const weights = defaultWeights(levels);
      expect(weights).toHaveLength(levels);
      expect(weightsRest({ weights })).toBe(0n);
    }
  });

  it('keeps the hold within the limits of the contract', () => {
    expect(readHold('90', '86400')).toEqual({ value: 7_776_000 });
    expect(readHold('91', '86400').issue).toBe('At most 90 days.');
    expect(readHold('0', '60').issue).toBe('At least 1 minute.');
  });

  it('finds the field for each path that the API names', () => {
    expect(policyField('policy.weightsBps.2')).toBe('weights.2.weight');
    expect(policyField('policy.commissionBps')).toBe('rate');
    expect(policyField('policy.regions.0')).toBe('regions');
  });
});
