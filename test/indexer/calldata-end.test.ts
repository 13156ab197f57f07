import fc from 'fast-check';
import { concat } from 'viem';
import { expect, it } from 'vitest';
import {
  attachedCodes,
  MAX_SUFFIX_BYTES,
  withAttachedCodes,
} from '../../engine/core/calldata-suffix.ts';
import { toHex } from '../../engine/core/hex-bytes.ts';
import { calldataEndOf, endOfCalldata } from '../../src/calldata.ts';

const calldata = fc.uint8Array({ maxLength: 700 }).map(toHex);

it('reads the same codes from the end that the indexer stores as from all of the calldata', () => {
  const code = fc.stringMatching(/^[a-z0-9_]{1,32}$/);
  const data = fc.oneof(
    calldata,
    fc.tuple(calldata, code).map(([input, one]) => withAttachedCodes(input, [one])),
    calldata.map((input) => concat([input, '0x80218021802180218021802180218021'])),
  );
  fc.assert(
    fc.property(data, (input) => {
      const end = endOfCalldata(input);
      expect(attachedCodes(end)).toEqual(attachedCodes(input));
      expect(end.length).toBeLessThanOrEqual(2 + 2 * MAX_SUFFIX_BYTES);
    }),
  );
});

it('takes the calldata of the contract itself alone', () => {
  const log = { address: `0x${'ab'.repeat(20)}` } as const;
  expect(calldataEndOf({ to: `0x${'AB'.repeat(20)}`, input: '0xdddddddd' }, log)).toBe('0x');
  expect(calldataEndOf({ to: `0x${'cd'.repeat(20)}`, input: '0xdddddddd' }, log)).toBeNull();
  expect(calldataEndOf({ to: null, input: '0xdddddddd' }, log)).toBeNull();
});
