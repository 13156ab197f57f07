import { toEventSelector } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { isEventName } from '../core/events.ts';
import { openPool, type Pool, type PoolOptions } from '../db/connection.ts';
import { type ChainEnv, ConfigError, type Env } from '../env.ts';
import type { Chain } from '../settlement/chain.ts';
import { chainFromRpc } from '../settlement/rpc-chain.ts';

/** The indexer's fixed views schema; Ponder announces new blocks on a channel named after it. */
export const VIEWS_SCHEMA = 'indexer_views';

/** What a process of a deployment needs, where `start` does not make it. */
export interface DeploymentEnv {
  readonly databaseUrl: string;
  readonly chain: ChainEnv;
}

/**
 * The database and the chain, for a command that brings up neither.
 * @throws {ConfigError} with a sentence for each that is missing.
 */
export function requireDeployment(env: Env): DeploymentEnv {
  const sentences: string[] = [];
  if (env.databaseUrl === undefined) {
    sentences.push(
      'DATABASE_URL is not set: this command works on a deployment that runs already.',
    );
  }
  if (env.chain === undefined) {
    sentences.push('CHAIN_ID, RPC_URL, CONTRACT_ADDRESS and START_BLOCK are not set.');
  }
  if (env.databaseUrl === undefined || env.chain === undefined) throw new ConfigError(sentences);
  return { databaseUrl: env.databaseUrl, chain: env.chain };
}

export function openDatabase(
  { databaseUrl }: DeploymentEnv,
  name: string,
  options: Pick<PoolOptions, 'max' | 'settings'>,
): Pool {
  return openPool(databaseUrl, { applicationName: `tributary ${name}`, ...options });
}

export function openChain({ chain }: DeploymentEnv): Chain {
  return chainOf(chain);
}

/** The chain that the variables name, as settlement asks it. */
export function chainOf(chain: ChainEnv): Chain {
  return chainFromRpc({ ...chain, eventSelectors });
}

/** First topics of the events of the feed: those that the indexer stores (`src/index.ts`). */
const eventSelectors = referralCommerceAbi.flatMap((item) =>
  item.type === 'event' && isEventName(item.name) ? [toEventSelector(item)] : [],
);

/** Tells deployments apart that share a Redis. */
export function queuePrefix({ chain }: DeploymentEnv): string {
  return `tributary-${chain.chainId}-${chain.contractAddress}`;
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const onSignal = () => {
      process.once('SIGINT', () => process.exit(130));
      process.once('SIGTERM', () => process.exit(143));
      resolve();
    };
    process.once('SIGINT', onSignal);
    process.once('SIGTERM', onSignal);
  });
}
