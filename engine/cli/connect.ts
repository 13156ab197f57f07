import { toEventSelector } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import type { Chain } from '../chain/chain.ts';
import { chainFromRpc } from '../chain/rpc-chain.ts';
import { isEventName } from '../core/events.ts';
import { openPool, type Pool, type PoolOptions, sessionName } from '../db/connection.ts';
import type { Deployment } from '../db/deployment.ts';
import { type ChainEnv, ConfigError, type Env } from '../env.ts';
import { CommandError, exitCodes } from './exit-codes.ts';

/** The indexer's fixed views schema; Ponder announces new blocks on a channel named after it. */
export const VIEWS_SCHEMA = 'indexer_views';

/** Database and chain of a deployment. */
export interface DeploymentEnv {
  readonly databaseUrl: string;
  readonly chain: ChainEnv;
}

/**
 * The configured database and chain, for a command that starts neither.
 * @throws {ConfigError} with a sentence for each that is not set.
 */
export function requireDeployment(env: Env): DeploymentEnv {
  const sentences: string[] = [];
  if (env.databaseUrl === undefined) {
    sentences.push(
      'DATABASE_URL is not set: this command needs the database of an existing deployment.',
    );
  }
  if (env.chain === undefined) {
    sentences.push('CHAIN_ID, RPC_URL, CONTRACT_ADDRESS and START_BLOCK are not set.');
  }
  if (env.databaseUrl === undefined || env.chain === undefined) throw new ConfigError(sentences);
  return { databaseUrl: env.databaseUrl, chain: env.chain };
}

/** Opens a pool of connections that PostgreSQL lists as `tributary <name>`. */
export function openDatabase(
  { databaseUrl }: DeploymentEnv,
  name: string,
  options: Pick<PoolOptions, 'max' | 'settings'>,
): Pool {
  return openPool(databaseUrl, { applicationName: sessionName(name), ...options });
}

/** The chain of a deployment. */
export function openChain({ chain }: DeploymentEnv): Chain {
  return chainOf(chain);
}

/**
 * Identity of the configured chain and contract, with the genesis hash that the RPC returns.
 * @throws {CommandError} if the RPC does not return the first block.
 */
export async function deploymentOf(chain: ChainEnv): Promise<Deployment> {
  const genesis = await chainOf(chain)
    .blockAt(0)
    .catch(() => null);
  if (genesis === null) {
    throw new CommandError(
      'RPC_URL does not return the first block of the chain: is the address right?',
      exitCodes.unavailable,
    );
  }
  return { ...chain, genesisHash: genesis.hash };
}

/** The chain of the configuration, as settlement reads it. */
export function chainOf(chain: ChainEnv): Chain {
  return chainFromRpc({ ...chain, eventSelectors });
}

/** First topics of the events of the feed: those that the indexer stores (`src/index.ts`). */
const eventSelectors = referralCommerceAbi.flatMap((item) =>
  item.type === 'event' && isEventName(item.name) ? [toEventSelector(item)] : [],
);

/** Prefix of Redis keys that separates deployments. */
export function queuePrefix({ chain }: DeploymentEnv): string {
  return `tributary-${chain.chainId}-${chain.contractAddress}`;
}

/**
 * Resolves with the first SIGINT or SIGTERM; a second one ends the process immediately. SIGTERM is how a
 * service is replaced; SIGINT is Ctrl-C.
 */
export function untilStopped(): Promise<'SIGINT' | 'SIGTERM'> {
  return new Promise((resolve) => {
    const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
      process.once('SIGINT', () => process.exit(130));
      process.once('SIGTERM', () => process.exit(143));
      resolve(signal);
    };
    process.once('SIGINT', () => onSignal('SIGINT'));
    process.once('SIGTERM', () => onSignal('SIGTERM'));
  });
}
