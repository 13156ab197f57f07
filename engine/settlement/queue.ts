import {
  createPostgresBackend,
  type JobsOptions,
  Queue as RedisQueue,
  Worker as RedisWorker,
  runMigrations,
  withBackend,
} from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';

/** The only job there is: look at a campaign. What to do there, the ledger knows. */
export interface SettleJob {
  readonly campaignId: string;
}

/** How many jobs stand where. */
export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

export interface SettleQueue {
  /** `redis` or `postgres`. */
  readonly backend: 'redis' | 'postgres';
  /** Says that campaigns have something to look at; a campaign that waits already is left alone. */
  push(campaignIds: readonly string[]): Promise<void>;
  /** Says that a campaign will have something to look at, after `delayMs` milliseconds. */
  pushLater(campaignId: string, delayMs: number): Promise<void>;
  counts(): Promise<QueueCounts>;
  /** Starts handling jobs, `concurrency` at once; a job that fails blocks no other. */
  work(
    handle: (job: SettleJob) => Promise<void>,
    options: { readonly concurrency: number; readonly onError: (error: Error) => void },
  ): QueueWorker;
  close(): Promise<void>;
}

export interface QueueWorker {
  /** Ends when the jobs under way have. */
  close(): Promise<void>;
}

export interface QueueOptions {
  /** BullMQ runs on Redis where this is given, and on PostgreSQL otherwise. */
  readonly redisUrl: string | undefined;
  readonly databaseUrl: string;
  /** Tells deployments apart that share a Redis. */
  readonly prefix: string;
}

const QUEUE_NAME = 'settlement';
const QUEUE_SCHEMA = 'queue';

/** After a hard kill a job waits this long before another worker takes it up. */
const LOCK_MS = 5_000;

/** A month: longer delays are cut, and the feeder sees the campaign when it is due. */
const LONGEST_DELAY_MS = 2_592_000_000;

/** Jobs leave no trace: whatever the queue holds can be rebuilt from the database. */
const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const;

const WORKER_OPTIONS = {
  lockDuration: LOCK_MS,
  stalledInterval: LOCK_MS,
  maxStalledCount: 1_000,
} as const;

/** Opens the queue on Redis or PostgreSQL, whichever the options name. */
export async function openQueue(options: QueueOptions): Promise<SettleQueue> {
  return options.redisUrl === undefined
    ? await openPostgresQueue(options.databaseUrl)
    : openRedisQueue(options.redisUrl, options.prefix);
}

async function openPostgresQueue(databaseUrl: string): Promise<SettleQueue> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await runMigrations(client, QUEUE_SCHEMA);
  } finally {
    await client.end();
  }
  const connection = { connectionString: databaseUrl, schema: QUEUE_SCHEMA, max: 10 };
  const { Queue, Worker } = withBackend(createPostgresBackend);
  const queue = new Queue<SettleJob>(QUEUE_NAME, {
    connection,
    defaultJobOptions: JOB_OPTIONS,
  });
  return queueOf('postgres', queue, (handle, concurrency) => {
    return new Worker<SettleJob>(QUEUE_NAME, (job) => handle(job.data), {
      ...WORKER_OPTIONS,
      connection,
      concurrency,
    });
  });
}

function openRedisQueue(url: string, prefix: string): SettleQueue {
  const connections: Redis[] = [];
  const connect = () => {
    // BullMQ asks for this setting where it blocks on a connection.
    const connection = new Redis(url, { maxRetriesPerRequest: null });
    connections.push(connection);
    return connection;
  };
  const queue = new RedisQueue<SettleJob>(QUEUE_NAME, {
    connection: connect(),
    prefix,
    defaultJobOptions: JOB_OPTIONS,
  });
  const opened = queueOf('redis', queue, (handle, concurrency) => {
    return new RedisWorker<SettleJob>(QUEUE_NAME, (job) => handle(job.data), {
      ...WORKER_OPTIONS,
      connection: connect(),
      prefix,
      concurrency,
    });
  });
  return {
    ...opened,
    close: async () => {
      await opened.close();
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** The part of BullMQ's queue that both backends share, and all that is used of it. */
interface AnyQueue {
  addBulk(
    jobs: { name: string; data: SettleJob; opts: Pick<JobsOptions, 'deduplication'> }[],
  ): Promise<unknown>;
  add(
    name: string,
    data: SettleJob,
    opts: Pick<JobsOptions, 'deduplication' | 'delay'>,
  ): Promise<unknown>;
  getJobCounts(...states: ('waiting' | 'active' | 'delayed')[]): Promise<Record<string, number>>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

interface AnyWorker {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: unknown, error: Error) => void): unknown;
  close(): Promise<void>;
}

function queueOf(
  backend: SettleQueue['backend'],
  queue: AnyQueue,
  startWorker: (handle: (job: SettleJob) => Promise<void>, concurrency: number) => AnyWorker,
): SettleQueue {
  // Without a listener, an error of a lost connection would end the process; it reconnects.
  queue.on('error', () => {});
  return {
    backend,
    push: async (campaignIds) => {
      if (campaignIds.length === 0) return;
      await queue.addBulk(
        campaignIds.map((campaignId) => ({
          name: 'settle',
          data: { campaignId },
          opts: { deduplication: { id: `settle-${campaignId}`, keepLastIfActive: true } },
        })),
      );
    },
    pushLater: async (campaignId, delayMs) => {
      await queue.add(
        'settle',
        { campaignId },
        {
          deduplication: { id: `clock-${campaignId}`, replace: true },
          delay: Math.min(Math.max(0, delayMs), LONGEST_DELAY_MS),
        },
      );
    },
    counts: async () => {
      const counts = await queue.getJobCounts('waiting', 'active', 'delayed');
      return {
        waiting: counts.waiting ?? 0,
        active: counts.active ?? 0,
        delayed: counts.delayed ?? 0,
      };
    },
    work: (handle, { concurrency, onError }) => {
      const worker = startWorker(handle, concurrency);
      worker.on('error', onError);
      worker.on('failed', (_job, error) => onError(error));
      return { close: () => worker.close() };
    },
    close: () => queue.close(),
  };
}
