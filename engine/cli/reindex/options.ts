import type { Chain } from '../../chain/chain.ts';
import type { Keccak256 } from '../../core/digest.ts';
import type { Pool } from '../../db/connection.ts';
import type { Deployment } from '../../db/deployment.ts';
import type { ChainEnv } from '../../env.ts';

/** Input of `reindex`. */
export interface ReindexOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  readonly keccak256: Keccak256;
  readonly deployment: Deployment;
  /** Settings of the new indexer. */
  readonly settings: {
    readonly databaseUrl: string;
    readonly chain: ChainEnv;
    readonly pollingIntervalMs: number | undefined;
    readonly logFile: string;
  };
  /** Receives progress as text. */
  readonly onProgress: (text: string) => void;
}

/** Thrown with a sentence if the chain cannot be indexed again. The deployment is unchanged. */
export class ReindexError extends Error {
  override readonly name = 'ReindexError';
}
