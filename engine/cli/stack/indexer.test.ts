import { describe, expect, it } from 'vitest';
import { defaultPollingIntervalMs } from './indexer.ts';

/** Nothing listens there. */
const rpcUrls = ['http://127.0.0.1:9'];

describe('defaultPollingIntervalMs', () => {
  it('takes the block time of a known chain, without asking the RPC', async () => {
    const asked = [1, 137, 42_161].map((chainId) => defaultPollingIntervalMs({ chainId, rpcUrls }));
    expect(await Promise.all(asked)).toEqual([4_000, 1_750, 2_000]);
  });

  it('polls an unknown chain that does not answer as rarely as possible', async () => {
    expect(await defaultPollingIntervalMs({ chainId: 424_242, rpcUrls })).toBe(4_000);
  });
});
