import type { Env } from '../env.ts';
import { readRunning } from './running.ts';

/** The chain and contract that a command takes for true where the person names none. */
export interface TrustedChain {
  readonly chainId: number | undefined;
  readonly contractAddress: `0x${string}` | undefined;
  readonly startBlock: number | undefined;
  readonly rpcUrls: readonly string[] | undefined;
}

/** As configured, or else those of the deployment that runs here. Asks no network. */
export async function trustedChain(env: Env): Promise<TrustedChain> {
  if (env.chain !== undefined) return env.chain;
  const running = await readRunning(env);
  return {
    chainId: running?.chainId,
    contractAddress: running?.contractAddress,
    startBlock: running?.startBlock,
    rpcUrls: running?.rpcUrl === undefined ? undefined : [running.rpcUrl],
  };
}
