import type { Disk } from 'flydrive';
import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import type { OptionalResource } from '../contract/registry.ts';
import type { Address } from '../core/events.ts';
import type { Availability } from '../db/availability.ts';
import type { Pool } from '../db/connection.ts';
import type { Deployment } from '../db/deployment.ts';
import type { WebhookUrlOptions } from '../net/webhook-url.ts';
import type { JobQueue } from '../queue/job-queue.ts';
import type { SecretKeys } from '../secrets/keys.ts';
import type { Bundle } from '../verify/bundle/index.ts';
import type { MakeBundleParameters } from '../verify/bundle/make/index.ts';
import type { Demo } from './demo/demo.ts';
import type { DownloadLimits } from './files/download-limits.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import type { MetricsAccess } from './operations/metrics-route.ts';
import type { Replicas } from './replicas/replicas.ts';
import type { StreamHub } from './stream/hub.ts';

/** Chain and contract that this service serves. */
export interface ServedDeployment extends Deployment {
  /** Block that deployed the contract: verification does not search earlier blocks. */
  readonly startBlock: number;
  /** URL of a block explorer, without a slash at the end; `null` if there is none. */
  readonly explorerUrl: string | null;
}

/** Numbers of jobs in settlement's queue. */
export interface QueueStats {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  /** Milliseconds that the oldest job has waited for a worker; unset if none waits. */
  readonly oldestMs?: number;
}

/** Sale whose bundle is made, and as of which block. It can be sent to another thread. */
export type BundleRequest = Pick<
  MakeBundleParameters,
  'contractAddress' | 'saleId' | 'fromBlock' | 'atBlock' | 'blockHint'
>;

/** Makes bundles: on another thread, because proofs take a tenth of a second of the processor and more. */
export interface BundleMaker {
  /** @throws the errors of `makeBundle`. */
  make(request: BundleRequest): Promise<Bundle>;
}

/** Everything that the app needs from outside. The app opens no connection. */
export interface AppDeps extends MetricsAccess {
  readonly pool: Pool;
  /** Separate connections for reads that may take long (`long-reads.ts`); without it they use `pool`. */
  readonly longReadPool?: Pool;
  /** Standbys that answer reads in place of `pool`; without them all reads use it. */
  readonly replicas?: Replicas | undefined;
  /** Connections that compute the ranking if no worker does, which can take minutes; default `pool`. */
  readonly rankingPool?: Pool;
  readonly deployment: ServedDeployment;
  /** Client of the chain. With a batching transport, verifying one receipt takes a few requests. */
  readonly client: PublicClient;
  /** Client for calls of contracts that strangers chose, on separate connections; default `client`. */
  readonly strangersClient?: PublicClient;
  /** Makes bundles; without it the app does, over `client`. */
  readonly bundles?: BundleMaker;
  /** Milliseconds that the chain may take to check a contract wallet's signature; default 5 s. */
  readonly signatureMs?: number;
  readonly queueStats: () => Promise<QueueStats>;
  /** Queue of background jobs for the workers. */
  readonly jobs: Pick<JobQueue, 'pushReport'>;
  readonly logger: Logger;
  /** Resources whose methods are off unless the deployment enables them. */
  readonly enabled: ReadonlySet<OptionalResource>;
  /** Accounts that may moderate, in lower case. */
  readonly operators: readonly Address[];
  /** Public origin of the service, for links that it returns. */
  readonly publicUrl: string;
  /** Keys that sign links and cursors, derived from the secrets of the deployment. */
  readonly keys: SecretKeys;
  /** Availability of the database. Without it, each request finds out on its own. */
  readonly database?: Pick<Availability, 'away' | 'run'>;
  /** Uploaded and exported files, by keys like `media/…`. */
  readonly files: Disk;
  /** Browser origins that may read, sign in and write, including the API's own, as browsers send them. */
  readonly allowedOrigins: readonly string[];
  /** URLs that may receive webhooks; default those of public addresses. */
  readonly webhookTargets?: WebhookUrlOptions;
  /** Clock of sessions, unix milliseconds. The clock of the ledger is its settled block. */
  readonly clock: () => number;
  readonly limits: RateLimits;
  /** Number of our own proxies that each request passes, whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: number;
  /** Seconds that a head may stay behind another without moving before there is an alarm; default 60. */
  readonly stallSeconds?: number;
  /** True once the process is stopping and should get no new requests. */
  readonly stopping?: () => boolean;
  /** Folder of the built site; without it there are no pages. */
  readonly siteFolder?: string;
  /** Milliseconds that a page waits for its tags before it is served without them; default 1 s. */
  readonly tagsMs?: number;
  /** Project at WalletConnect; without it the pages reach only wallets of the browser. */
  readonly walletConnectProjectId?: string | undefined;
  /** RPC of the chain that the pages offer to wallets which do not know the chain. */
  readonly publicRpcUrl?: string | undefined;
  /** Returns the demo of the chain that `tributary start` runs; without it, or if it returns none, the site has no demo. */
  readonly demo?: () => Demo | undefined;
  /** Milliseconds after which a request is answered 503; default 20 s. */
  readonly requestMs?: number;
  /** MiB of the response cache; default 32, and 0 disables it. */
  readonly cacheMiB?: number;
  /** Aborted when the time limit of the request has passed; unset outside of requests that may write. */
  readonly signal?: AbortSignal;
  /** Limits on files that are being sent; by default those of `download-limits.ts`. */
  readonly downloadLimits?: Partial<DownloadLimits>;
  /** Readers of the stream; by default the app opens a hub. A caller that passes one must close it. */
  readonly stream?: StreamHub;
}
