import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { registry } from '../registry.ts';

/** The fields that a schema finds wrong in a value. */
function wrongIn(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path }) => path.join('.'));
}

describe('the bodies of merchants', () => {
  const product = registry.products.save.input.body;
  const least = {
    version: 0,
    status: 'draft',
    title: '',
    summary: '',
    category: '',
    fulfillmentMode: 'manual',
  };

  it('accepts a product that lacks the same fields as a draft, and refuses a wrapper object', () => {
    expect(wrongIn(product, least)).toEqual([]);
    expect(wrongIn(product, { product: least })).not.toEqual([]);
    expect(registry.products.save.input.payload).toBe('product');
    expect(registry.campaigns.saveDraft.input.payload).toBe('draft');
  });

  it('refuses a product with the same variant twice or a price of zero', () => {
    const variant = { id: 'a', name: 'A', priceBaseUnits: '1' };
    expect(wrongIn(product, { ...least, variants: [variant] })).toEqual([]);
    expect(wrongIn(product, { ...least, variants: [variant, variant] })).toEqual(['variants']);
    const free = { ...variant, priceBaseUnits: '0' };
    expect(wrongIn(product, { ...least, variants: [free] })).toEqual(['variants.0.priceBaseUnits']);
  });

  it('accepts an empty draft, and refuses values beyond the limits of the contract', () => {
    const draft = registry.campaigns.saveDraft.input.body;
    expect(wrongIn(draft, { version: 0 })).toEqual([]);
    expect(wrongIn(draft, { version: 0, policy: { weightsBps: [1] } })).toEqual([]);
    const tooLong = { version: 0, policy: { regions: ['é'.repeat(33)] } };
    expect(wrongIn(draft, tooLong)).toEqual(['policy.regions.0']);
    const tooShort = { version: 0, policy: { holdSeconds: 59 } };
    expect(wrongIn(draft, tooShort)).toEqual(['policy.holdSeconds']);
    expect(wrongIn(draft, { version: 0, price: '0' })).toEqual(['price']);
    const most = (1n << 128n) - 1n;
    expect(wrongIn(draft, { version: 0, price: String(most), funding: String(most) })).toEqual([]);
    const beyond = { version: 0, price: String(most + 1n), funding: String(most + 1n) };
    expect(wrongIn(draft, beyond)).toEqual(['price', 'funding']);
    const capped = (perSaleCap: bigint) =>
      wrongIn(draft, { version: 0, policy: { perSaleCap: String(perSaleCap) } });
    expect([most - 1n, (1n << 256n) - 1n].map(capped)).toEqual([[], []]);
    expect([0n, most, 1n << 200n, 1n << 256n].map(capped)).toEqual(
      Array.from({ length: 4 }, () => ['policy.perSaleCap']),
    );
  });

  it('needs all limits of an attester, and none of one that is no longer allowed', () => {
    const { body } = registry.operations.allowAttester.input;
    const attester = { account: `0x${'a'.repeat(40)}` };
    const limits = { perOrder: '1', daily: '2', expiry: '2030-01-01T00:00:00Z' };
    expect(wrongIn(body, { ...attester, allowed: true, ...limits })).toEqual([]);
    expect(wrongIn(body, { ...attester, allowed: false })).toEqual([]);
    expect(wrongIn(body, { ...attester, allowed: true, perOrder: '1' })).toEqual([
      ...['daily', 'expiry'],
    ]);
    expect(wrongIn(body, { ...attester, allowed: false, ...limits })).toEqual([
      ...['perOrder', 'daily', 'expiry'],
    ]);
    const wrong = { ...limits, perOrder: '0', daily: String(1n << 128n), expiry: '2030-01-01' };
    expect(wrongIn(body, { ...attester, allowed: true, ...wrong })).toEqual([
      ...['perOrder', 'daily', 'expiry'],
    ]);
  });

  it('accepts a template only with a complete policy whose weights add up', () => {
    const template = registry.studio.saveTemplate.input.body;
    const policy = {
      commissionBps: 500,
      maxRewardedAncestors: 2,
      weightsBps: [7_000, 3_000],
      holdSeconds: 60,
    };
    expect(wrongIn(template, { name: 'Plain', policy })).toEqual([]);
    const uneven = { ...policy, weightsBps: [7_000, 2_999] };
    expect(wrongIn(template, { name: 'Plain', policy: uneven })).toEqual(['policy.weightsBps']);
  });

  it('refuses a slug that looks like an address, and a web address that is a script', () => {
    const setup = registry.merchants.setup.input.body;
    const merchant = { slug: 'acme', name: 'Acme' };
    expect(wrongIn(setup, merchant)).toEqual([]);
    expect(wrongIn(setup, { ...merchant, slug: `0x${'a'.repeat(40)}` })).toEqual(['slug']);
    const websiteUrl = 'javascript:alert(1)';
    expect(wrongIn(setup, { ...merchant, websiteUrl })).toEqual(['websiteUrl']);
    expect(wrongIn(setup, { ...merchant, websiteUrl: 'https://acme.example' })).toEqual([]);
  });
});
