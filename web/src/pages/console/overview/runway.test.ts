import { describe, expect, it } from 'vitest';
import { daysLeft } from './runway.ts';

const campaign = {
  price: '1000',
  rewardAvailable: '900',
  rewardTotal: '2000',
  policy: { commissionBps: 1_000, perSaleCap: '1000000', campaignLiabilityCap: '1000000' },
};

describe('how long a budget lasts', () => {
  it('divides the sales that it covers by the sales of a day', () => {
    // 100 a sale: 9 sales are covered, and 30 were sold in 30 days.
    expect(daysLeft(campaign, { sales: 30, days: 30 })).toBe(9);
    expect(daysLeft(campaign, { sales: 60, days: 30 })).toBe(4);
    expect(daysLeft({ ...campaign, rewardAvailable: '99' }, { sales: 1, days: 30 })).toBe(0);
  });

  it('ends earlier where the liability cap is reached before the vault is empty', () => {
    const capped = { ...campaign, policy: { ...campaign.policy, campaignLiabilityCap: '1300' } };
    expect(daysLeft(capped, { sales: 30, days: 30 })).toBe(2);
  });

  it('stays unknown without sales, and without a reward', () => {
    expect(daysLeft(campaign, { sales: 0, days: 30 })).toBeUndefined();
    const free = { ...campaign, policy: { ...campaign.policy, commissionBps: 0 } };
    expect(daysLeft(free, { sales: 30, days: 30 })).toBeUndefined();
  });
});
