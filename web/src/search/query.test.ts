import { describe, expect, it } from 'vitest';
import { encodeReferralCode } from '../../../engine/core/referral-code.ts';
import { isMistypedCode, isShortHex, readQuery } from './query.ts';

describe('readQuery', () => {
  it.each([
    ['#578', { q: '578', type: 'sale' }],
    ['sale 578', { q: '578', type: 'sale' }],
    [' Sale  #578 ', { q: '578', type: 'sale' }],
    ['receipt 578', { q: '578', type: 'sale' }],
    ['campaign 7', { q: '7', type: 'campaign' }],
    ['Link 92', { q: '92', type: 'link' }],
    ['block 122', { q: '122', type: 'block' }],
    ['@North-Wind', { q: 'north-wind', type: 'distributor' }],
    [`tx 0x${'a'.repeat(64)}`, { q: `0x${'a'.repeat(64)}` }],
    ['578', { q: '578' }],
    ['atlas 2024', { q: 'atlas 2024' }],
    ['  Harbor   Roasters ', { q: 'Harbor Roasters' }],
    ['@', { q: '@' }],
    ['constructor 7', { q: 'constructor 7' }],
  ])('reads %j', (text, query) => {
    expect(readQuery(text)).toEqual(query);
  });
});

describe('isMistypedCode', () => {
  it('returns true only for the form of a code with wrong check characters', () => {
    const code = encodeReferralCode('4711') ?? '';
    expect(isMistypedCode(code)).toBe(false);
    expect(isMistypedCode(code.toLowerCase())).toBe(false);
    expect(isMistypedCode(`${code.slice(0, -1)}${code.endsWith('2') ? '3' : '2'}`)).toBe(true);
    expect(isMistypedCode('2ZNX')).toBe(true);
    expect(isMistypedCode('harbor')).toBe(false);
    expect(isMistypedCode('578')).toBe(false);
    expect(isMistypedCode('north wind 2')).toBe(false);
  });

  it('returns false for the beginning of an address or hash', () => {
    expect(isMistypedCode('0x3a23')).toBe(false);
    expect(isMistypedCode('0X3A23ff')).toBe(false);
  });
});

describe('isShortHex', () => {
  it.each([
    ['0x3a2', true],
    [' 0x ', true],
    ['0x3a23', false],
    ['3a2', false],
  ])('returns for %j: %s', (text, isShort) => {
    expect(isShortHex(text)).toBe(isShort);
  });
});
