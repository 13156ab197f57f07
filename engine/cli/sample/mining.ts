import { hexToNumber } from 'viem';
import type { Rpc } from './rpc.ts';

/**
 * Runs `work` while anvil mines only when told to, and puts its way of mining back afterwards,
 * even where `work` fails.
 */
export async function whileMiningByHand<T>(rpc: Rpc, work: () => Promise<T>): Promise<T> {
  const automine = await rpc.request('anvil_getAutomine');
  const interval = await rpc.request('anvil_getIntervalMining');
  await rpc.request('evm_setAutomine', false);
  // The one way to stop interval mining: it is neither on nor off for evm_setAutomine.
  await rpc.request('evm_setIntervalMining', 0);
  try {
    return await work();
  } catch (error) {
    // What was sent and not mined must not be mined by whoever comes next.
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
