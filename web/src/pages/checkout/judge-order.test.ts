import { hashTypedData } from 'viem';
import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../../engine/db/commerce/intents.ts';
import type { OfferedPayment } from '../../../../engine/http/resources/relayer/offer.ts';
import { signaturesFor } from '../../../../engine/http/resources/relayer/order.ts';
import { judgeOrder, type PreparedOrder, type SeenOrder } from './judge-order.ts';

const address = (digits: string) => `0x${digits.repeat(20)}` as const;
const hash = (digits: string) => `0x${digits.repeat(32)}` as const;

const token = { address: address('a1'), symbol: 'SIGN', decimals: 6, name: 'Signed Dollar' };
const expiresAt = new Date('2026-01-01T00:30:00.900Z');
const shared = {
  ...{ campaignId: '7', nodeId: '12', skuHash: hash('b1'), buyer: address('c1') },
  ...{ orderKey: hash('d1'), minPolicyVersion: 2 },
};
/** As the service stores it. */
const stored = {
  ...{ ...shared, id: 'intent-1', token, amount: 25_000_000n, expiresAt },
  ...{ termsHash: hash('e1'), nodeOwner: address('f1') },
} as Intent;
const deployment = { chainId: 31_337, contractAddress: address('1a') };

/** As the page shows it. */
const seen: SeenOrder = {
  intent: {
    ...{ ...shared, chainId: 31_337, token, amount: '25000000' },
    expiresAt: expiresAt.toISOString(),
  },
  // A wallet names its account with a checksum.
  ...{ buyer: `0x${'C1'.repeat(20)}`, chainId: 31_337, contract: address('1a') },
  ...{ campaignId: '7', termsHash: hash('e1'), skuHash: hash('b1') },
  ...{ nodeId: '12', nodeOwner: address('f1') },
};

const domain = {
  ...{ name: 'Signed Dollar', version: '1', chainId: 31_337 },
  verifyingContract: token.address,
};
const payments = {
  authorization: { kind: 'authorization', domain },
  permit: { kind: 'permit', domain, nonce: 4n },
  allowance: { kind: 'allowance' },
} as const satisfies Record<string, OfferedPayment>;
const kinds = ['authorization', 'permit', 'allowance'] as const;

/** What the service hands out to sign. */
function preparedBy(kind: keyof typeof payments, intent = stored): PreparedOrder {
  const deps = { deployment } as Parameters<typeof signaturesFor>[0];
  const signatures = signaturesFor(deps, intent, payments[kind]);
  const common = { intentId: intent.id, expiresAt: intent.expiresAt.toISOString() };
  return { ...common, offered: true, reason: null, payment: kind, signatures };
}

/** The same, with another value at a path of its first signature. */
function changed(kind: keyof typeof payments, path: readonly string[], value: unknown) {
  const prepared = structuredClone(preparedBy(kind));
  let at: Record<string, unknown> = { ...prepared.signatures[0]?.typedData };
  Object.assign(prepared.signatures[0] ?? {}, { typedData: at });
  for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
  at[path.at(-1) ?? ''] = value;
  return prepared;
}

describe('the judge of what a buyer signs', () => {
  it.each(kinds)('lets the wallet sign what the service prepares: %s', (kind) => {
    const prepared = preparedBy(kind);
    const judged = judgeOrder(seen, prepared);
    expect(judged.map(({ name }) => name)).toEqual(prepared.signatures.map(({ name }) => name));
    for (const [i, { data }] of judged.entries()) {
      const digest = hashTypedData(data as Parameters<typeof hashTypedData>[0]);
      expect(digest).toBe(prepared.signatures[i]?.digest);
    }
  });

  it('judges a sale without a link by the owner that the contract expects', () => {
    const direct = { ...stored, nodeId: null, nodeOwner: null };
    const intent = { ...seen.intent, nodeId: null };
    const judged = judgeOrder(
      { ...seen, intent, nodeId: undefined },
      preparedBy('allowance', direct),
    );
    expect(judged[0]?.data.message).toMatchObject({ nodeId: '0', nodeOwner: address('00') });
  });

  it.each(kinds)('refuses each other value in the data, and names the field: %s', (kind) => {
    const [first] = preparedBy(kind).signatures;
    if (first === undefined) throw new Error('there is nothing to sign');
    const { typedData, name } = first;
    const own = kind === 'allowance' ? [] : ['domain.name', 'domain.version'];
    const paths = [
      ...Object.keys(typedData.domain).map((field) => ['domain', field]),
      ...Object.keys(typedData.message).map((field) => ['message', field]),
    ];
    let refused = 0;
    for (const path of paths) {
      const field = path.join('.').replace('message.', '');
      // A token names its domain itself, and counts its permits: the chain alone can judge them.
      if (own.includes(field) || (kind === 'permit' && field === 'nonce')) continue;
      for (const value of ['1', address('99'), hash('99'), '', undefined]) {
        expect(() => judgeOrder(seen, changed(kind, path, value))).toThrow(
          `The field ${name}.${field} is`,
        );
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(25);
    expect(() => judgeOrder(seen, changed(kind, ['message', 'more'], '1'))).toThrow('.more is');
    expect(() => judgeOrder(seen, changed(kind, ['domain', 'salt'], '1'))).toThrow(
      '.domain.salt is',
    );
    expect(() => judgeOrder(seen, changed(kind, ['primaryType'], 'Other'))).toThrow(
      '.primaryType is',
    );
    const renamed = [{ name: 'memo', type: 'bytes32' }];
    for (const type of Object.keys(typedData.types)) {
      expect(() => judgeOrder(seen, changed(kind, ['types', type], renamed))).toThrow('.types is');
    }
    expect(() => judgeOrder(seen, changed(kind, ['types', 'More'], renamed))).toThrow('.types is');
  });

  it('refuses a nonce of a permit that is no number', () => {
    const prepared = changed('permit', ['message', 'nonce'], '0x1');
    expect(() => judgeOrder(seen, prepared)).toThrow('PERMIT.nonce is "0x1"');
  });

  it('refuses more or other signatures than the payment needs', () => {
    const twice = { ...preparedBy('permit'), payment: 'authorization' as const };
    expect(() => judgeOrder(seen, twice)).toThrow(
      'signatures is "PERMIT,ORDER", and should be "AUTHORIZATION"',
    );
    const none = { ...preparedBy('allowance'), payment: null };
    expect(() => judgeOrder(seen, none)).toThrow('signatures');
  });

  it('refuses a purchase that is not the order which the page shows', () => {
    const prepared = preparedBy('authorization');
    for (const [field, value] of [
      ['chainId', 1],
      ['campaignId', '8'],
      ['skuHash', hash('99')],
      ['nodeId', '13'],
      ['buyer', address('99')],
    ] as const) {
      const other = { ...seen, [field]: value };
      expect(() => judgeOrder(other, prepared)).toThrow(`${field} is`);
      const intent = { ...seen.intent, [field]: value };
      expect(() => judgeOrder({ ...seen, intent }, prepared)).toThrow(`${field} is`);
    }
  });

  it('refuses an authorization of another order, whose nonce alone names it', () => {
    for (const other of [
      { minPolicyVersion: 3 },
      { orderKey: hash('99') },
      { termsHash: hash('99') },
      { nodeOwner: address('99') },
    ]) {
      const prepared = preparedBy('authorization', { ...stored, ...other });
      expect(() => judgeOrder(seen, prepared)).toThrow('AUTHORIZATION.nonce is');
    }
  });
});
