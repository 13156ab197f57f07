import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeReferralCode, encodeReferralCode } from './referral-code.ts';

const ALPHABET = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
const nodeIds = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);

function codeOf(nodeId: string): string {
  const code = encodeReferralCode(nodeId);
  if (code === undefined) throw new Error(`node ${nodeId} has no code`);
  return code;
}

describe('a referral code', () => {
  it('decodes to its node and to no other', () => {
    fc.assert(fc.property(nodeIds, (id) => decodeReferralCode(codeOf(id)) === id));
    const codes = Array.from({ length: 5_000 }, (_, id) => codeOf(String(id)));
    expect(new Set(codes).size).toBe(5_000);
  });

  it('uses three characters up to node 31, and at most fifteen', () => {
    expect(['1', '31', '32', '1048575'].map((id) => codeOf(id).length)).toEqual([3, 3, 4, 6]);
    expect(codeOf(String(2n ** 63n - 1n))).toHaveLength(10 + 5);
  });

  it('stays the same forever, because links are printed and posted', () => {
    expect(['1', '2', '42', '4711', '9007199254740991'].map(codeOf)).toMatchInlineSnapshot(`
      [
        "168",
        "2CG",
        "1A5F",
        "4K7PK",
        "7ZZZZZZZZZZWT",
      ]
    `);
  });

  it('accepts a code in lower case, with O, I and L, and with hyphens', () => {
    for (const id of ['1', '32', '1024', '33554433', '998877665544332211']) {
      const code = codeOf(id);
      const written = code.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l');
      expect(decodeReferralCode(written)).toBe(id);
      expect(decodeReferralCode(`${written.slice(0, 2)}-${written.slice(2)}`)).toBe(id);
    }
  });

  it('refuses a code with any one character wrong', () => {
    for (const id of ['0', '1', '42', '4711', '33554433', '9223372036854775807']) {
      const code = codeOf(id);
      for (let at = 0; at < code.length; at += 1) {
        for (const other of ALPHABET.filter((character) => character !== code[at])) {
          const typo = code.slice(0, at) + other + code.slice(at + 1);
          expect(decodeReferralCode(typo), typo).toBeUndefined();
        }
      }
    }
  });

  it('refuses a code with any two characters wrong, or swapped', () => {
    const place = fc.nat({ max: 14 });
    const wrong = fc.constantFrom(...ALPHABET);
    fc.assert(
      fc.property(nodeIds, place, place, wrong, wrong, (id, i, j, one, other) => {
        const code = [...codeOf(id)];
        const [a, b] = [i % code.length, j % code.length];
        const wronged = code.with(a, one).with(b, other).join('');
        const swapped = code
          .with(a, code[b] ?? '')
          .with(b, code[a] ?? '')
          .join('');
        for (const typo of [wronged, swapped]) {
          expect(decodeReferralCode(typo)).toBe(typo === code.join('') ? id : undefined);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses any text that is not a code', () => {
    for (const text of ['', 'A', 'AB', 'ÄÖÜ', 'demo-1', '000', '0000', ' 1AB', 'U'.repeat(3)]) {
      expect(decodeReferralCode(text), text).toBe(text === '000' ? '0' : undefined);
    }
    expect(decodeReferralCode('1'.repeat(10_000))).toBeUndefined();
    fc.assert(
      fc.property(fc.string(), (text) => {
        const id = decodeReferralCode(text);
        return id === undefined || encodeReferralCode(id) !== undefined;
      }),
    );
  });

  it('returns no code for a node that was never on a chain, or has too large an id', () => {
    for (const id of ['demo-1', '-1', '01', '1.5', '', String(2n ** 63n), '9'.repeat(78)]) {
      expect(encodeReferralCode(id), id).toBeUndefined();
    }
  });
});
