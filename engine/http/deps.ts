import type { Disk } from 'flydrive';
import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import type { Address } from '../core/events.ts';
import type { Availability } from '../db/availability.ts';
import type { Pool } from '../db/connection.ts';
import type { Deployment } from '../db/deployment.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { DownloadLimits } from './files/download-limits.ts';
import type { RateLimits } from './rate-limits.ts';
import type { SecretKeys } from './secret-keys.ts';
import type { StreamHub } from './stream/hub.ts';

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
  /** Milliseconds that the oldest job waits for a worker; none where nothing waits. */
  readonly oldestMs?: number;
}

/** All that the app needs from outside: it opens nothing by itself. */
export interface AppDeps {
  readonly pool: Pool;
  readonly deployment: ServedDeployment;
  /** The chain, for verification. With a batching transport, one receipt is a few requests. */
  readonly client: PublicClient;
  /** The chain, for calls of strangers' contracts, on connections of its own; default `client`. */
  readonly strangersClient?: PublicClient;
  /** Milliseconds that the chain may take over a contract wallet's signature; default 5 s. */
  readonly signatureMs?: number;
  readonly queueStats: () => Promise<QueueStats>;
  /** The queue of background jobs, which workers do. */
  readonly jobs: Pick<JobQueue, 'pushReport'>;
  readonly logger: Logger;
  /** Accounts that may moderate, in lower case. */
  readonly operators: readonly Address[];
  /** Origin that the service is reached at, for links that it hands out. */
  readonly publicUrl: string;
  /** Sign links and cursors; derived from the secret of the deployment. */
  readonly keys: SecretKeys;
  /** Whether the database answers; without it, requests find out by themselves. */
  readonly database?: Pick<Availability, 'away' | 'run'>;
  /** Uploaded and exported files, by keys like `media/…`. */
  readonly files: Disk;
  /** Browser origins that may read, sign in and write, the API's own among them; as they send it. */
  readonly allowedOrigins: readonly string[];
  /** Unix milliseconds: the clock of sessions. The ledger's is its settled block. */
  readonly clock: () => number;
  readonly limits: RateLimits;
  /** Proxies of ours that each request passes, and whose `X-Forwarded-For` is believed; 0 is none. */
  readonly trustedProxies: number;
  /** Seconds that a head may stand still behind another before it is an alarm; default 60. */
  readonly stallSeconds?: number;
  /** True once the process is told to stop, and no new requests should come. */
  readonly stopping?: () => boolean;
  /** True if `/metrics` is on a port of its own, and so not here. */
  readonly metricsElsewhere?: boolean;
  /** What a reader of `/metrics` must send as a Bearer token; without it everybody may read. */
  readonly metricsToken?: string | undefined;
  /** Folder of the built site; without it there are no pages. */
  readonly siteFolder?: string;
  /** Milliseconds after which a request is answered 503; default 20 s. */
  readonly requestMs?: number;
  /** MiB of answers that are kept to be given again; default 32, and 0 keeps none. */
  readonly keptMiB?: number;
  /** Aborted when the time of the request is over; unset outside of a request that may write. */
  readonly signal?: AbortSignal;
  /** Limits on files that are on their way to readers; default those of `download-limits.ts`. */
  readonly downloadLimits?: Partial<DownloadLimits>;
  /** The readers of the stream; default one of the app's own. Whoever gives it closes it. */
  readonly stream?: StreamHub;
}
