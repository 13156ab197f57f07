import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { keccak } from '../../test/support/ledger.ts';
import { Address, Hash32 } from '../contract/values.ts';
import { type Hex, trustModes } from './events.ts';
import { termsHash } from './terms.ts';

const hexOf = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);

const termsArb = fc.record({
  merchant: hexOf(20),
  token: hexOf(20),
  trustMode: fc.constantFrom(...trustModes),
  metadataHash: hexOf(32),
  salt: hexOf(32),
});

const Vectors = z.array(
  z.strictObject({
    merchant: Address,
    token: Address,
    metadataHash: Hash32,
    trustMode: z.int(),
    salt: Hash32,
    termsHash: Hash32,
  }),
);

describe('the hash of a campaign’s terms', () => {
  it('computes the terms hashes of the published vectors', () => {
    const file = new URL('../../test/vectors/terms.json', import.meta.url);
    const vectors = Vectors.parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(vectors.length).toBeGreaterThan(2);
    for (const { trustMode, termsHash: expected, ...terms } of vectors) {
      const mode = trustModes[trustMode];
      if (mode === undefined) throw new Error(`There is no trust mode ${trustMode}.`);
      expect(termsHash(keccak, { ...terms, trustMode: mode })).toBe(expected);
    }
  });

  it('computes the terms hash as keccak-256 of the ABI encoding of the five terms', () => {
    const parameters = parseAbiParameters('address, address, uint8, bytes32, bytes32');
    fc.assert(
      fc.property(termsArb, (terms) => {
        const { merchant, token, trustMode, metadataHash, salt } = terms;
        const mode = trustModes.indexOf(trustMode);
        const encoded = encodeAbiParameters(parameters, [
          merchant,
          token,
          mode,
          metadataHash,
          salt,
        ]);
        expect(termsHash(keccak, terms)).toBe(keccak256(encoded));
      }),
    );
  });

  it('computes the same terms hash for an address in any case', () => {
    const terms = {
      merchant: '0xabcdefabcdefabcdefabcdefabcdefabcdefabcd',
      token: '0x00000000000000000000000000000000000000aa',
      trustMode: 'MERCHANT_ATTESTED',
      metadataHash: `0x${'1f'.repeat(32)}`,
      salt: `0x${'f1'.repeat(32)}`,
    } as const;
    const upper = '0xABCDEFabcdefABCDEFabcdefABCDEFabcdefABCD';
    expect(termsHash(keccak, { ...terms, merchant: upper })).toBe(termsHash(keccak, terms));
  });
});
