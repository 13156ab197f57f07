import fc from 'fast-check';
import { keccak256 } from 'viem';
import { expect, it } from 'vitest';
import { openKeccak } from './keccak.ts';

it('computes the same keccak-256 as viem for any bytes and any number of calls', async () => {
  const keccak = await openKeccak();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
      expect(Buffer.from(keccak(bytes))).toEqual(Buffer.from(keccak256(bytes, 'bytes')));
    }),
    { numRuns: 300 },
  );
});
