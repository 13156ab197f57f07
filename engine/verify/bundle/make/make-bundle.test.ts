import { createPublicClient, custom, numberToHex } from 'viem';
import { expect, it } from 'vitest';
import { BundleImpossibleError } from './errors.ts';
import { makeBundle } from './make-bundle.ts';

it('refuses a chain whose blocks have no header before it reads any log', async () => {
  const asked: string[] = [];
  const transport = custom({
    request: async ({ method }: { method: string }) => {
      asked.push(method);
      if (method === 'eth_chainId') return numberToHex(324);
      return { number: '0x1', hash: `0x${'1'.repeat(64)}`, timestamp: '0x1', transactions: [] };
    },
  });
  const made = makeBundle({
    client: createPublicClient({ transport }),
    contractAddress: `0x${'2'.repeat(40)}`,
    saleId: '1',
  });
  await expect(made).rejects.toThrow(BundleImpossibleError);
  await expect(made).rejects.toThrow('zkSync Era');
  expect(asked.toSorted()).toEqual(['eth_chainId', 'eth_getBlockByNumber']);
});
