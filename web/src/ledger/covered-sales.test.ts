import { expect, it } from 'vitest';
import { coveredSales } from './covered-sales.ts';

const NO_CAP = (2n ** 256n - 1n).toString();

const policy = { commissionBps: 1_000, perSaleCap: NO_CAP, campaignLiabilityCap: NO_CAP };
const budget = {
  price: '1000',
  rewardLedger: {
    available: '450',
    pendingReserved: '100',
    vestedUnclaimed: '200',
    rewardsClaimed: '250',
  },
};

it('counts the sales whose whole reward the vault and both caps allow', () => {
  expect(coveredSales(budget, policy)).toBe(4n);
  expect(coveredSales(budget, { ...policy, commissionBps: 2_000 })).toBe(2n);
  expect(coveredSales(budget, { ...policy, perSaleCap: '50' })).toBe(9n);
  expect(coveredSales(budget, { ...policy, campaignLiabilityCap: '700' })).toBe(1n);
  expect(coveredSales(budget, { ...policy, campaignLiabilityCap: '500' })).toBe(0n);
});

it('returns null for a reward that rounds to nothing', () => {
  expect(coveredSales({ ...budget, price: '9' }, policy)).toBeNull();
});
