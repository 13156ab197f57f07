import { setTimeout } from 'node:timers/promises';
import { toEventSelector } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import type { Chain, ChainBlock } from '../chain/chain.ts';
import { rpcClient } from '../chain/client.ts';
import { failureOf, isAbsent, isPruned } from '../chain/errors.ts';
import { identityOf } from '../chain/identity.ts';
import { chainFromRpc } from '../chain/rpc-chain.ts';
import { type Hex, isEventName } from '../core/events.ts';
import { openPool, type Pool, type PoolOptions, sessionName } from '../db/connection.ts';
import {
  claimDeployment,
  type Deployment,
  DeploymentMismatchError,
  readDeployment,
} from '../db/deployment.ts';
import { readHeads } from '../db/heads.ts';
import { type ChainEnv, ConfigError, type Env } from '../env.ts';
import { hasFinalized } from '../settlement/finality.ts';
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
  options: Omit<PoolOptions, 'applicationName' | 'onStatement'>,
): Pool {
  return openPool(databaseUrl, { applicationName: sessionName(name), ...options });
}

/** The chain of a deployment. */
export function openChain({ chain }: DeploymentEnv): Chain {
  return chainOf(chain);
}

/**
 * Identity of the configured chain and contract. The genesis hash is that of the first block, or that of the start
 * block if the RPC has pruned its history.
 * @throws {CommandError} if the RPC does not answer, or serves neither.
 */
export async function deploymentOf(chain: ChainEnv): Promise<Deployment> {
  const block = (await servedBlock(chain, 0)) ?? (await servedBlock(chain, chain.startBlock));
  if (block === null) {
    throw new CommandError(
      `RPC_URL returns neither the first block of the chain nor block ${chain.startBlock} (START_BLOCK), so that nothing shows which chain it is: name an RPC with the history since START_BLOCK.`,
      exitCodes.unavailable,
    );
  }
  return { ...chain, genesisHash: block.hash };
}

/** A block; `null` if the RPC says that it does not have it. */
async function servedBlock(chain: ChainEnv, number: number): Promise<ChainBlock | null> {
  const what = number === 0 ? 'the first block' : `block ${number}`;
  return await unlessAbsent(what, chainOf(chain).blockAt(number));
}

/** An answer; `null` if the RPC says that it does not have it. @throws {CommandError} if it refuses, which says nothing. */
async function unlessAbsent<T>(what: string, request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (isAbsent(error) || isPruned(error)) return null;
    throw new CommandError(
      `RPC_URL does not return ${what} of the chain, because it ${failureOf(error)}: is the address right?`,
      exitCodes.unavailable,
    );
  }
}

/**
 * Records at the first start which chain and contract the database is of, and compares the RPC with that at each
 * later one. If the RPC no longer serves the block by which the chain was recorded, the newest block that the ledger
 * has as final is compared.
 * @returns what is recorded.
 * @throws {DeploymentMismatchError} if chain or contract differ.
 * @throws {CommandError} as `deploymentOf`.
 */
export async function claimChain(pool: Pool, chain: ChainEnv): Promise<Deployment> {
  const found = await deploymentOf(chain);
  const recorded = await readDeployment(pool);
  const isOther = recorded !== undefined && recorded.genesisHash !== found.genesisHash;
  if (isOther && (await hasRecordedBlock(pool, chain, recorded.genesisHash))) {
    await claimDeployment(pool, { ...found, genesisHash: recorded.genesisHash });
    return recorded;
  }
  await claimDeployment(pool, found);
  return found;
}

/** True if the chain has the block of that hash, or the newest final block of the ledger. */
export async function hasRecordedBlock(pool: Pool, chain: ChainEnv, hash: Hex): Promise<boolean> {
  const client = rpcClient(chain.rpcUrls, { identity: identityOf(chain.rpcUrls, chain) });
  const block = await unlessAbsent(`block ${hash}`, client.getBlock({ blockHash: hash }));
  const canonical = block && (await servedBlock(chain, Number(block.number)));
  if (canonical !== null) return canonical.hash === hash;
  const heads = await readHeads(pool);
  if (heads === undefined || heads.finalizedNumber === null) return false;
  const final = `block ${heads.finalizedNumber}, which is final,`;
  return (await unlessAbsent(final, hasFinalized(chainOf(chain), heads))) === true;
}

/** Milliseconds that a program waits for the RPC at its start. */
const CONFIRM_MS = 2_000;

/**
 * Compares the RPC with the chain that the database is of, if it answers: a program starts without it.
 * @returns the chain with what the database has recorded of it, which each of its RPCs is compared with from then on.
 * @throws {DeploymentMismatchError} if chain or contract differ.
 */
export async function confirmChain(pool: Pool, chain: ChainEnv): Promise<ChainEnv> {
  const recorded = await readDeployment(pool);
  if (recorded === undefined) return chain;
  const claim = claimChain(pool, chain).then(
    () => undefined,
    (error: unknown) => (error instanceof DeploymentMismatchError ? error : undefined),
  );
  const mismatch = await Promise.race([claim, setTimeout(CONFIRM_MS, undefined, { ref: false })]);
  if (mismatch !== undefined) throw mismatch;
  return { ...chain, genesisHash: recorded.genesisHash };
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
