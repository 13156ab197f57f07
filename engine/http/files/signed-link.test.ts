import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveKeys } from '../../secrets/keys.ts';
import { readSignedLink, signLink } from './signed-link.ts';

const SECRET = 'a secret of tests, 32 characters or more';
const KEYS = deriveKeys([SECRET]);

describe('a signed link', () => {
  it('returns its payload until it expires', () => {
    const payload = ['rep_1', `0x${'a'.repeat(40)}`, 'ünïcode / ..'];
    const token = signLink(KEYS, { purpose: 'report', payload, expiresAt: 1_000 });
    expect(token).toMatch(/^[A-Za-z0-9_.-]+$/);
    expect(readSignedLink(KEYS, 'report', token, 999)).toEqual(payload);
    expect(readSignedLink(KEYS, 'report', token, 1_000)).toBeUndefined();
  });

  it('returns nothing for another purpose, nor with another secret', () => {
    const token = signLink(KEYS, { purpose: 'report', payload: ['1'], expiresAt: 1_000 });
    expect(readSignedLink(KEYS, 'fulfillment', token, 0)).toBeUndefined();
    expect(readSignedLink(deriveKeys([`${SECRET}!`]), 'report', token, 0)).toBeUndefined();
  });

  it('returns nothing if a single character was changed', () => {
    const token = signLink(KEYS, { purpose: 'report', payload: ['1'], expiresAt: 1_000 });
    fc.assert(
      fc.property(
        fc.nat(token.length - 2),
        fc.constantFrom('A', 'b', '0', '_', '.'),
        (at, with_) => {
          fc.pre(token[at] !== with_);
          const forged = token.slice(0, at) + with_ + token.slice(at + 1);
          expect(readSignedLink(KEYS, 'report', forged, 0)).toBeUndefined();
        },
      ),
    );
  });

  it('returns undefined for any other text, without throwing', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        expect(readSignedLink(KEYS, 'report', text, 0)).toBeUndefined();
      }),
    );
    expect(readSignedLink(KEYS, 'report', 'a'.repeat(100_000), 0)).toBeUndefined();
  });
});
