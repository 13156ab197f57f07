import type { Keccak256 } from '../../core/digest.ts';
import type { Pool } from '../../db/connection.ts';
import type { Deployment } from '../../db/deployment.ts';
import type { ChainEnv } from '../../env.ts';
import type { Chain } from '../../settlement/chain.ts';

/** What `reindex` works with. */
export interface ReindexOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  readonly keccak256: Keccak256;
  readonly deployment: Deployment;
  /** What the new indexer is started with. */
  readonly settings: {
    readonly databaseUrl: string;
    readonly chain: ChainEnv;
    readonly pollingIntervalMs: number;
    readonly logFile: string;
  };
  /** Says what is being done. */
  readonly onProgress: (text: string) => void;
}

/** The chain cannot be indexed anew: the sentence says why. The deployment is as before. */
export class ReindexError extends Error {
  override readonly name = 'ReindexError';
}
