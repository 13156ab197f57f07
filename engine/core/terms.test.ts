import fc from 'fast-check';
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem';
import { describe, expect, it } from 'vitest';
import { keccak } from '../../test/support/ledger.ts';
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

describe('the hash of a campaign’s terms', () => {
  it('is keccak-256 of the ABI encoding of the five terms', () => {
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

  it('does not depend on how the hex digits of an address are written', () => {
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
