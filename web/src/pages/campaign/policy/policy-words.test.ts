import { describe, expect, it } from 'vitest';
import { type PolicyText, policyWords } from './policy-words.ts';

const token = { symbol: 'TUSD', decimals: 6 };
const none = (2n ** 256n - 1n).toString();
const policy: PolicyText = {
  commissionBps: 1_250,
  perSaleCap: none,
  campaignLiabilityCap: none,
  maxRewardedAncestors: 3,
  weightsBps: [5_000, 3_000, 2_000],
  shortPathMode: 'RENORMALIZE_EXISTING',
  holdSeconds: 172_800,
  excludesSelfReferral: false,
};

/** The words with plain spaces, as one reads them. */
const read = (change: Partial<PolicyText>) =>
  policyWords({ ...policy, ...change }, token).map((line) => line.replace(/[\u00a0\u202f]/g, ' '));

describe('a policy in words', () => {
  it('describes commission, levels, short paths and hold', () => {
    expect(read({})).toEqual([
      '12.5 % of what the buyer pays goes to the link that sells and up to 2 above it: 50 %, 30 % and 20 % of that, nearest first.',
      'Only the vault’s budget limits a reward.',
      'If fewer links are above the seller, the existing levels share the full reward.',
      'A reward is on hold for 2 days after the sale. A refund in that time takes it back.',
      'A buyer may own links that the purchase rewards.',
    ]);
  });

  it('says that self-referral is excluded', () => {
    expect(read({ excludesSelfReferral: true })).toContain(
      'An account cannot buy through a link if the purchase would reward a link of its own.',
    );
  });

  it('describes a policy of one level', () => {
    const words = read({ maxRewardedAncestors: 1, weightsBps: [10_000] });
    expect(words[0]).toBe('The link that sells gets 12.5 % of what the buyer pays.');
    expect(words).toContain('No other level is rewarded.');
  });

  it('names each cap with its amount', () => {
    expect(read({ perSaleCap: '2500000' })).toContain('A sale pays at most 2.50 TUSD of rewards.');
    expect(read({ campaignLiabilityCap: '1000000000' })).toContain(
      'The campaign pays at most 1 000.00 TUSD of rewards in all.',
    );
  });

  it('says that the part of missing levels stays in the vault', () => {
    expect(read({ shortPathMode: 'RETURN_UNUSED' }).join(' ')).toContain('stays in the vault');
  });
});
