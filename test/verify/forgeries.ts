import type { wholeReceipt } from './receipt.ts';

/** A receipt as the API serves it. */
export type Whole = ReturnType<typeof wholeReceipt>;

/** Single lies of a service whose RPC and contract are the right ones. */
export const forgeries: readonly (readonly [what: string, forge: (receipt: Whole) => object])[] = [
  ['the decimals', (r) => ({ ...r, token: { ...r.token, decimals: 0 } })],
  ['the symbol', (r) => ({ ...r, token: { ...r.token, symbol: 'USDC' } })],
  ['the name of the token', (r) => ({ ...r, token: { ...r.token, name: 'USD Coin' } })],
  [
    'the address of the token',
    (r) => ({ ...r, token: { ...r.token, address: `0x${'a0'.repeat(20)}` } }),
  ],
  [
    'the address of the merchant',
    (r) => ({ ...r, merchant: { ...r.merchant, address: `0x${'a1'.repeat(20)}` } }),
  ],
  ['the trust mode', (r) => ({ ...r, trustMode: 'NATIVE_ONCHAIN' })],
  ['the node that counted', (r) => ({ ...r, attribution: { ...r.attribution, nodeId: '99' } })],
  [
    'an attached code',
    (r) => ({
      ...r,
      attribution: { ...r.attribution, codes: [{ code: 'app', role: null, registry: null }] },
    }),
  ],
  ['the attestation', (r) => ({ ...r, attestation: null })],
  ['the states of the levels', (r) => ({ ...r, levels: r.levels.map(claimed) })],
  [
    'the recipients of the levels',
    (r) => ({ ...r, levels: r.levels.map((level) => ({ ...level, recipient: r.buyer })) }),
  ],
  ['the date of the sale', (r) => ({ ...r, recordedAt: '2020-01-01T00:00:00.000Z' })],
  ['the date of the finalization', (r) => ({ ...r, finalizedAt: r.recordedAt })],
  ['the missed rewards', (r) => ({ ...r, missed: [{ level: 1, reason: 'BUDGET', amount: '1' }] })],
  ['the hold', (r) => ({ ...r, hold: { ...r.hold, holdSeconds: 1 } })],
  ['the transaction', (r) => ({ ...r, tx: { ...r.tx, hash: `0x${'12'.repeat(32)}` } })],
  ['the SKU of the product', (r) => ({ ...r, product: { ...r.product, skuHash: r.orderKey } })],
];

function claimed(level: Whole['levels'][number]) {
  return { ...level, state: 'claimed' };
}
