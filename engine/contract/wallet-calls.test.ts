import fc from 'fast-check';
import { getAddress, keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { safeBatch, sendCallsRequest } from './wallet-calls.ts';

const SAFE = '0x5afe3855358e112b5647b952709e6165e1c1eeee';
const TOKEN = `0x${'11'.repeat(20)}`;
const CONTRACT = `0x${'22'.repeat(20)}`;
const calls = [
  {
    ...{ chainId: 31_337, to: TOKEN, data: '0x095ea7b3', value: '0' },
    description: 'Lets the contract take 5 “TUSD”.',
  },
  {
    ...{ chainId: 31_337, to: CONTRACT, data: '0xca1d209d', value: '1' },
    description: 'Deposits 5 TUSD.',
  },
];
const options = {
  keccak256: (bytes: Uint8Array) => keccak256(bytes, 'bytes'),
  safe: SAFE,
  name: 'Fund campaign 7',
  createdAt: Date.UTC(2026, 0, 1),
};

describe('a file for the Transaction Builder of Safe', () => {
  it('carries the checksum that the Transaction Builder computes', () => {
    // Computed by its apps/tx-builder/src/lib/checksum.ts of safe-global/safe-react-apps at 81f2251a.
    const checksum = '0x691e63e4797946dc40a69eebc62967c524d8df6281ce394ffc725e91b5a1e675';
    expect(safeBatch(calls, options)).toEqual({
      version: '1.0',
      chainId: '31337',
      createdAt: 1_767_225_600_000,
      meta: {
        name: 'Fund campaign 7',
        description: 'Lets the contract take 5 “TUSD”.\nDeposits 5 TUSD.',
        createdFromSafeAddress: getAddress(SAFE),
        createdFromOwnerAddress: '',
        checksum,
      },
      transactions: [
        {
          ...{ to: TOKEN, value: '0', data: '0x095ea7b3' },
          ...{ contractMethod: null, contractInputsValues: null },
        },
        {
          ...{ to: CONTRACT, value: '1', data: '0xca1d209d' },
          ...{ contractMethod: null, contractInputsValues: null },
        },
      ],
    });
    // Renaming the file changes nothing.
    const renamed = safeBatch(calls, { ...options, name: 'Another name' });
    expect(renamed.meta).toMatchObject({ name: 'Another name', checksum });
    const swapped = safeBatch(calls.toReversed(), options);
    expect(swapped.meta.checksum).not.toBe(checksum);
  });

  it('writes each address with its checksum', () => {
    const address = fc.uint8Array({ minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(address, (bytes) => {
        const to = `0x${Buffer.from(bytes).toString('hex')}`;
        const [call] = safeBatch(
          [{ chainId: 1, to, data: '0x', value: '0' }],
          options,
        ).transactions;
        expect(call?.to).toBe(getAddress(to));
      }),
    );
  });
});

describe('a request of EIP-5792', () => {
  it('asks for all calls or none, with hexadecimal amounts', () => {
    const value = (2n ** 256n - 1n).toString();
    const [first, second] = calls;
    if (first === undefined || second === undefined) throw new Error('There are two calls.');
    expect(sendCallsRequest([first, { ...second, value }], { from: SAFE, id: '0x01' })).toEqual({
      version: '2.0.0',
      id: '0x01',
      from: SAFE,
      chainId: '0x7a69',
      atomicRequired: true,
      calls: [
        { to: TOKEN, data: '0x095ea7b3', value: '0x0' },
        { to: CONTRACT, data: '0xca1d209d', value: `0x${'f'.repeat(64)}` },
      ],
    });
  });
});

it('refuses an empty list, and calls of two chains', () => {
  const twoChains = [...calls, { chainId: 1, to: TOKEN, data: '0x', value: '0' }];
  for (const wrong of [[], twoChains]) {
    expect(() => safeBatch(wrong, options)).toThrow(RangeError);
    expect(() => sendCallsRequest(wrong, { from: SAFE, id: '0x01' })).toThrow(RangeError);
  }
});
