import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Buyable,
  buyRefusals,
  fulfils,
  type IntentFacts,
  intentAmount,
  intentState,
  isReplacementPending,
  type SentFacts,
  type SentStatus,
  sentStatus,
} from './checkout.ts';

const order = { skuHash: '0xaa', amount: 100n } as const;
const fresh: IntentFacts = {
  order,
  sale: null,
  orderKeyUsed: false,
  sent: [],
  replacementPending: false,
  late: false,
  cancelled: false,
};

describe('intentState', () => {
  const cases: [string, Partial<IntentFacts>, string, boolean][] = [
    ['nothing happened yet', {}, 'created', true],
    ['the chain is away', { orderKeyUsed: null }, 'created', false],
    ['out of time', { late: true }, 'expired', false],
    ['out of time, and the chain is away', { late: true, orderKeyUsed: null }, 'expired', false],
    ['a transaction waits', { sent: ['pending'] }, 'submitted', false],
    ['it waits beyond the time', { sent: ['pending'], late: true }, 'submitted', false],
    [
      'it waited when the chain went away',
      { sent: ['pending'], orderKeyUsed: null },
      'submitted',
      false,
    ],
    ['an older one waits', { sent: ['reverted', 'pending'] }, 'submitted', false],
    ['its replacement waits', { sent: ['replaced'], replacementPending: true }, 'submitted', false],
    ['the approval is in', { sent: ['included'] }, 'created', true],
    [
      'the purchase is in a block, and not settled',
      { sent: ['included'], orderKeyUsed: true },
      'submitted',
      false,
    ],
    [
      'an unreported purchase is in a block',
      { orderKeyUsed: true, late: true },
      'submitted',
      false,
    ],
    [
      'the sale is settled',
      { sale: order, sent: ['included'], orderKeyUsed: true },
      'confirmed',
      false,
    ],
    [
      'the sale is settled, the chain away',
      { sale: order, orderKeyUsed: null },
      'confirmed',
      false,
    ],
    ['the sale shows up late', { sale: order, late: true }, 'confirmed', false],
    ['the price had fallen', { sale: { ...order, amount: 99n } }, 'confirmed', false],
    [
      'the key was used for a more expensive sale',
      { sale: { ...order, amount: 101n } },
      'failed',
      false,
    ],
    ['the key was used for another SKU', { sale: { ...order, skuHash: '0xbb' } }, 'failed', false],
    ['the transaction reverted', { sent: ['reverted'] }, 'failed', true],
    ['it reverted, and the time is over', { sent: ['reverted'], late: true }, 'failed', false],
    [
      'it reverted, and the chain is away',
      { sent: ['reverted'], orderKeyUsed: null },
      'failed',
      false,
    ],
    ['it was dropped', { sent: ['dropped'] }, 'created', true],
    ['it was replaced by something else', { sent: ['replaced'] }, 'created', true],
    ['it was dropped, and the time is over', { sent: ['dropped'], late: true }, 'expired', false],
    ['a newer one was dropped', { sent: ['dropped', 'reverted'] }, 'created', true],
    ['the buyer gave it up', { cancelled: true }, 'cancelled', false],
    [
      'it was given up, and the chain is away',
      { cancelled: true, orderKeyUsed: null },
      'cancelled',
      false,
    ],
    ['it was given up, and the time is over', { cancelled: true, late: true }, 'cancelled', false],
    ['it was given up after a revert', { cancelled: true, sent: ['reverted'] }, 'cancelled', false],
    [
      'it was given up while a transaction waits',
      { cancelled: true, sent: ['pending'] },
      'submitted',
      false,
    ],
    ['it was given up, and is paid', { cancelled: true, orderKeyUsed: true }, 'submitted', false],
    [
      'it was given up, and its sale is settled',
      { cancelled: true, sale: order },
      'confirmed',
      false,
    ],
  ];

  it.each(cases)('decides the state of an intent if %s', (_name, facts, state, mayPay) => {
    expect(intentState({ ...fresh, ...facts })).toMatchObject({ state, mayPay });
  });

  it('distinguishes a used order key from a reverted transaction', () => {
    const spent = intentState({ ...fresh, sale: { ...order, skuHash: '0xbb' } });
    expect(spent.failure).toBe('ORDER_KEY_SPENT');
    expect(intentState({ ...fresh, sent: ['reverted'] }).failure).toBe('REVERTED');
  });

  it('intentState never lets the buyer pay if a payment exists, may come, or cannot be ruled out', () => {
    const status = fc.constantFrom<SentStatus>(
      ...(['pending', 'included', 'reverted', 'replaced', 'dropped'] as const),
    );
    const facts = fc.record({
      order: fc.constant(order),
      sale: fc.option(fc.record({ skuHash: fc.constantFrom('0xaa', '0xbb'), amount: fc.bigInt() })),
      orderKeyUsed: fc.option(fc.boolean()),
      sent: fc.array(status, { maxLength: 4 }),
      replacementPending: fc.boolean(),
      late: fc.boolean(),
      cancelled: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (one) => {
        const paid = one.sale !== null || one.orderKeyUsed !== false;
        const underway = one.sent.includes('pending') || one.replacementPending;
        const { mayPay, state } = intentState(one);
        expect(mayPay).toBe(!paid && !underway && !one.late && !one.cancelled);
        if (mayPay) expect(['created', 'failed']).toContain(state);
      }),
    );
  });
});

describe('fulfils', () => {
  it('accepts no other SKU, and no base unit more', () => {
    expect(fulfils(order, order)).toBe(true);
    expect(fulfils({ ...order, amount: 101n }, order)).toBe(false);
    expect(fulfils({ skuHash: '0xbb', amount: 1n }, order)).toBe(false);
  });
});

describe('sentStatus', () => {
  const dropped: SentFacts = {
    outcome: null,
    known: false,
    nonce: 7,
    nextNonce: 7,
    nextPendingNonce: 7,
    ageSeconds: 10,
  };
  const cases: [string, Partial<SentFacts>, SentStatus, boolean][] = [
    ['in a block', { known: true, outcome: 'success', nextNonce: 8 }, 'included', false],
    ['reverted in a block', { known: true, outcome: 'reverted', nextNonce: 8 }, 'reverted', false],
    ['waiting', { known: true, nextPendingNonce: 8 }, 'pending', false],
    ['gone, its nonce free', {}, 'dropped', false],
    ['gone, its nonce in a block', { nextNonce: 8, nextPendingNonce: 8 }, 'replaced', false],
    ['gone, its nonce waiting', { nextPendingNonce: 8 }, 'replaced', true],
    ['never seen, reported just now', { nonce: null, nextNonce: 9 }, 'pending', false],
    ['never seen for long', { nonce: null, ageSeconds: 180 }, 'dropped', false],
  ];

  it.each(cases)(
    'decides the status of a transaction that is %s',
    (_name, facts, status, replacing) => {
      expect(sentStatus({ ...dropped, ...facts })).toBe(status);
      expect(isReplacementPending({ ...dropped, ...facts })).toBe(replacing);
    },
  );
});

describe('buyRefusals', () => {
  const facts: Buyable = {
    trustMode: 'NATIVE_ONCHAIN',
    state: 'FUNDED_ACTIVE',
    startsAt: 100,
    sales: 9,
    saleCapacity: 10,
    hidden: false,
    merchantClosed: false,
  };

  it.each<[string[], Partial<Buyable>, number]>([
    [[], {}, 100],
    [['NOT_STARTED'], {}, 99],
    [['SOLD_OUT'], { sales: 10 }, 100],
    [['NOT_FUNDED'], { state: 'CREATED_UNFUNDED' }, 100],
    [['PAUSED'], { state: 'PAUSED' }, 100],
    [['PAID_ELSEWHERE', 'ENDED'], { trustMode: 'MERCHANT_ATTESTED', state: 'ENDED' }, 100],
    [
      ['EXPIRED', 'HIDDEN', 'MERCHANT_CLOSED'],
      { state: 'EXPIRED', hidden: true, merchantClosed: true },
      100,
    ],
  ])('returns %j in the order of the contract', (refusals, changes, clock) => {
    expect(buyRefusals({ ...facts, ...changes }, clock)).toEqual(refusals);
  });
});

describe('intentAmount', () => {
  it('uses the price for a new order, the amount of an existing sale, or else the agreed maximum', () => {
    const sale = { skuHash: '0xaa', amount: 80n } as const;
    expect(intentAmount(order, { sale: null, spent: false, price: 90n })).toBe(90n);
    expect(intentAmount(order, { sale, spent: true, price: 90n })).toBe(80n);
    expect(intentAmount(order, { sale: null, spent: true, price: 90n })).toBe(100n);
    const other = { skuHash: '0xbb', amount: 80n } as const;
    expect(intentAmount(order, { sale: other, spent: true, price: 90n })).toBe(100n);
    const huge = { ...order, amount: 2n ** 300n };
    expect(intentAmount(huge, { sale: null, spent: true, price: 1n })).toBe(2n ** 256n - 1n);
  });
});
