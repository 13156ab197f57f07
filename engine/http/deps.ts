import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import type { Pool } from '../db/connection.ts';
import type { Deployment } from '../db/deployment.ts';

/** The one chain and contract that is served, and where people look at it. */
export interface ServedDeployment extends Deployment {
  /** The block that deployed the contract: verification searches nothing before it. */
  readonly startBlock: number;
  /** Of a block explorer, without a slash at the end; `null` where there is none. */
  readonly explorerUrl: string | null;
}

/** Jobs of settlement's queue. */
export interface QueueStats {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

/** All that the app needs from outside: it opens nothing by itself. */
export interface AppDeps {
  readonly pool: Pool;
  readonly deployment: ServedDeployment;
  /** The chain, for verification. With a batching transport, one receipt is a few requests. */
  readonly client: PublicClient;
  readonly queueStats: () => Promise<QueueStats>;
  readonly logger: Logger;
  /** Browser origins that may read answers, exactly as they send them. */
  readonly allowedOrigins: readonly string[];
}
