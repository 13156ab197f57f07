import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keccak } from '../../test/support/ledger.ts';
import { EMPTY_DIGEST } from './digest.ts';
import type { Hex } from './events.ts';
import { compareIds, digestProof, digestRoot, verifyDigestProof } from './merkle.ts';

describe('the root of a block', () => {
  const one = { campaignId: '2', digest: `0x${'11'.repeat(32)}` as Hex };
  const two = { campaignId: '10', digest: `0x${'22'.repeat(32)}` as Hex };
  const three = { campaignId: '11', digest: `0x${'33'.repeat(32)}` as Hex };

  it('orders campaigns by the number of their id, whatever the order of the list', () => {
    expect(['10', '9', '2'].sort(compareIds)).toEqual(['2', '9', '10']);
    expect(digestRoot(keccak, [three, one, two])).toBe(digestRoot(keccak, [one, two, three]));
  });

  it('computes the root as docs/reference/digest.md says', () => {
    const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
    const hash = (hex: string) => Buffer.from(keccak(bytes(hex))).toString('hex');
    const leaf = (id: number, digest: string) =>
      hash(`00${id.toString(16).padStart(64, '0')}${digest}`);
    const pair = hash(`01${leaf(2, '11'.repeat(32))}${leaf(10, '22'.repeat(32))}`);
    expect(digestRoot(keccak, [one, two])).toBe(`0x${pair}`);
    const lone = hash(`01${pair}${leaf(11, '33'.repeat(32))}`);
    expect(digestRoot(keccak, [one, two, three])).toBe(`0x${lone}`);
    expect(digestRoot(keccak, [])).toBe(EMPTY_DIGEST);
  });
});

const digest = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
const campaigns = fc.uniqueArray(
  fc.record({ campaignId: fc.bigInt({ min: 1n, max: 2n ** 62n }).map(String), digest }),
  { selector: ({ campaignId }) => campaignId, minLength: 1, maxLength: 40 },
);

describe('the proof of a campaign', () => {
  it('proves every campaign of every tree', () => {
    fc.assert(
      fc.property(campaigns, (all) => {
        const root = digestRoot(keccak, all);
        for (const one of all) {
          const proof = digestProof(keccak, all, one.campaignId);
          expect(verifyDigestProof(keccak, root, one, proof ?? [])).toBe(true);
          expect(proof?.length).toBeLessThanOrEqual(Math.ceil(Math.log2(all.length)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('proves no other digest, campaign or root, and refuses a shorter proof', () => {
    fc.assert(
      fc.property(campaigns, digest, (all, other) => {
        const [one] = all;
        if (one === undefined || one.digest === other) return;
        const root = digestRoot(keccak, all);
        const proof = digestProof(keccak, all, one.campaignId) ?? [];
        const verify = verifyDigestProof.bind(undefined, keccak);
        expect(verify(root, { ...one, digest: other }, proof)).toBe(false);
        expect(verify(root, { ...one, campaignId: `${one.campaignId}0` }, proof)).toBe(false);
        expect(verify(other, one, proof)).toBe(false);
        if (proof.length > 0) expect(verify(root, one, proof.slice(1))).toBe(false);
        const turned = proof.map(({ side, hash }) => ({
          side: side === 'left' ? ('right' as const) : ('left' as const),
          hash,
        }));
        if (proof.length > 0) expect(verify(root, one, turned)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('returns no proof for a campaign that is not in the list', () => {
    expect(digestProof(keccak, [{ campaignId: '1', digest: EMPTY_DIGEST }], '2')).toBeUndefined();
  });
});
