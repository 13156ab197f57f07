import { describe, expect, it } from 'vitest';
import { readTrust } from './trust.ts';

const hash = `0x${'Ab'.repeat(32)}`;
const other = `0x${'12'.repeat(32)}`;
const address = `0x${'Cd'.repeat(20)}`;

describe('readTrust', () => {
  it('reads hashes with anything between them, and an address, in lower case', () => {
    const { trust, problems } = readTrust({ hashes: `${hash},\n  ${other}`, contract: address });
    expect(problems).toEqual({});
    expect(trust).toEqual({
      blockHashes: [hash.toLowerCase(), other],
      contractAddress: address.toLowerCase(),
    });
  });

  it('treats empty input as no known hashes', () => {
    expect(readTrust({ hashes: ' ', contract: '' })).toEqual({
      trust: { blockHashes: [] },
      problems: {},
    });
  });

  it('names text that is neither a hash nor an address, and leaves it out', () => {
    const { trust, problems } = readTrust({ hashes: `${other} 0x12`, contract: '0x12' });
    expect(problems.hashes).toContain('“0x12” is no block hash');
    expect(problems.contract).toContain('40 hexadecimal digits');
    expect(trust).toEqual({ blockHashes: [other] });
  });
});
