import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addsUp, identitiesOf, rewardIdentity, salesIdentity } from './identities.ts';

const amount = fc.bigInt({ min: 0n, max: 2n ** 256n });
const sums = {
  value: { recorded: '700' },
  rewards: { atRisk: '10', readyToFinalize: '20', claimable: '40', claimed: '50' },
};
const proceedsLedger = {
  proceedsPending: '100',
  proceedsClaimable: '200',
  proceedsClaimed: '300',
  buyerRefunded: '100',
};
const rewardLedger = {
  netDeposited: '1000',
  available: '860',
  pendingReserved: '30',
  vestedUnclaimed: '40',
  rewardsClaimed: '50',
  surplusWithdrawn: '20',
};

describe('the identities', () => {
  it('the identities hold for parts of any size if the total is their sum', () => {
    fc.assert(
      fc.property(amount, amount, amount, amount, amount, (a, b, c, d, e) => {
        const ledger = {
          available: `${a}`,
          pendingReserved: `${b}`,
          vestedUnclaimed: `${c}`,
          rewardsClaimed: `${d}`,
          surplusWithdrawn: `${e}`,
        };
        const total = a + b + c + d + e;
        expect(addsUp(rewardIdentity({ ...ledger, netDeposited: `${total}` }))).toBe(true);
        const off = rewardIdentity({ ...ledger, netDeposited: `${total + 1n}` });
        expect(off.difference).toBe(-1n);
      }),
    );
  });

  it('the identities find a single missing base unit, and name where it is missing', () => {
    const campaign = { rewardLedger, proceedsLedger, trustMode: 'NATIVE_ONCHAIN' };
    expect(identitiesOf(campaign, sums).filter((one) => !addsUp(one))).toEqual([]);
    const wrong = { ...campaign, rewardLedger: { ...rewardLedger, pendingReserved: '29' } };
    const broken = identitiesOf(wrong, sums).filter((one) => !addsUp(one));
    expect(broken.map(({ name, difference }) => [name, difference])).toEqual([
      ['rewards', -1n],
      ['reserved', 1n],
    ]);
  });

  it('the identities expect no proceeds from sales that were paid elsewhere', () => {
    const none = {
      proceedsPending: '0',
      proceedsClaimable: '0',
      proceedsClaimed: '0',
      buyerRefunded: '0',
    };
    expect(addsUp(salesIdentity(none, sums, 'MERCHANT_ATTESTED'))).toBe(true);
    expect(salesIdentity(none, sums, 'NATIVE_ONCHAIN').difference).toBe(-700n);
  });
});
