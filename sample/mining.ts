import { hexToNumber } from 'viem';
import type { Rpc } from './rpc.ts';

/** Runs `work` while anvil mines on request only, and restores its mining mode, even on an error. */
export async function whileMiningByHand<T>(rpc: Rpc, work: () => Promise<T>): Promise<T> {
  const automine = await rpc.request('anvil_getAutomine');
  const interval = await rpc.request('anvil_getIntervalMining');
  await rpc.request('evm_setAutomine', false);
  // evm_setAutomine does not stop interval mining; only this does.
  await rpc.request('evm_setIntervalMining', 0);
  try {
    return await work();
  } catch (error) {
    // Pending transactions must not be mined later.
    await rpc.request('anvil_dropAllTransactions');
    throw error;
  } finally {
    const seconds = secondsOf(interval);
    if (seconds > 0) await rpc.request('evm_setIntervalMining', seconds);
    else await rpc.request('evm_setAutomine', automine);
  }
}

function secondsOf(interval: unknown): number {
  if (typeof interval === 'number') return interval;
  return typeof interval === 'string' ? hexToNumber(interval as `0x${string}`) : 0;
}
