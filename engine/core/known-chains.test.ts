import { describe, expect, it } from 'vitest';
import { knownChain, knownChains, pollingIntervalOf, whyNoBundles } from './known-chains.ts';

describe('knownChain', () => {
  it('finds each chain by its id, which no other chain has', () => {
    for (const chain of knownChains) expect(knownChain(chain.chainId)).toBe(chain);
  });

  it('finds nothing for a local chain or one that is not in the table', () => {
    for (const chainId of [31_337, 424_242, 0]) expect(knownChain(chainId)).toBeUndefined();
  });
});

describe('whyNoBundles', () => {
  it('names the chain whose block hashes are not those of headers', () => {
    expect(whyNoBundles(324)).toMatch(/zkSync Era .*no bundle can prove a receipt/);
  });

  it('says nothing about all other chains, known or not', () => {
    const others = knownChains.filter(({ name }) => name !== 'zkSync Era');
    for (const { chainId } of [...others, { chainId: 31_337 }]) {
      expect(whyNoBundles(chainId)).toBeUndefined();
    }
  });
});

it('polls once a block, every two seconds if blocks come faster than one a second, and at least every four seconds', () => {
  expect([250, 500, 1_999.6, 4_000, 12_000].map(pollingIntervalOf)).toEqual([
    2_000, 2_000, 2_000, 4_000, 4_000,
  ]);
  expect(pollingIntervalOf(Number.NaN)).toBe(4_000);
});
