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

/** Server that BullMQ stores its queues in. */
export type Backend = 'redis' | 'postgres';

/** Number of jobs in each state. */
export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  /** Milliseconds that the oldest job has waited for a worker; absent if none waits. */
  readonly oldestMs?: number;
}

/** Handles the jobs of a queue. */
export interface QueueWorker {
  /** Resolves when the running jobs have ended. */
  close(): Promise<void>;
}

/** Server and name prefix of a queue. */
export interface QueueOptions {
  /** Redis for the queues; without it they are in PostgreSQL. */
  readonly redisUrl: string | undefined;
  readonly databaseUrl: string;
  /** Prefix of Redis keys, which differs between deployments that share a Redis. */
  readonly prefix: string;
}

/** How a worker handles jobs. */
export interface WorkOptions {
  /** Jobs handled concurrently. */
  readonly concurrency: number;
  readonly onError: (error: Error) => void;
}

/** A BullMQ queue on Redis or PostgreSQL, from which the queues of this project are made. */
export interface Bull<Data> {
  readonly backend: Backend;
  readonly queue: BullQueue<Data>;
  counts(): Promise<QueueCounts>;
  /** Starts handling jobs; a job that fails blocks no other. */
  work(handle: (data: Data) => Promise<void>, options: WorkOptions): QueueWorker;
  close(): Promise<void>;
}

/** The methods of BullMQ's queue that are used, which both backends have. */
export interface BullQueue<Data> {
  addBulk(
    jobs: { name: string; data: Data; opts: Pick<JobsOptions, 'deduplication'> }[],
  ): Promise<unknown>;
  add(name: string, data: Data, opts: Pick<JobsOptions, 'deduplication'>): Promise<unknown>;
  getJobCounts(...states: ('waiting' | 'active' | 'delayed')[]): Promise<Record<string, number>>;
  getJobs(states: 'waiting'[], start: number, end: number, asc: boolean): Promise<WaitingJob[]>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

interface WaitingJob {
  /** Unix milliseconds at which it was added. */
  readonly timestamp: number;
  /** Milliseconds of delay with which the job was added; its own `delay` is 0 afterwards. */
  readonly opts: { readonly delay?: number };
}

interface BullWorker {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: unknown, error: Error) => void): unknown;
  close(): Promise<void>;
}

/** How often a failing job is tried, and how long it waits in between. */
export type Retries = Pick<JobsOptions, 'attempts' | 'backoff'>;

const QUEUE_SCHEMA = 'queue';

/** Waiting jobs among which the oldest is searched for. */
const MAX_WAITING = 1_000;

/** PostgreSQL connections of one queue. */
const MAX_CONNECTIONS = 10;

/** Milliseconds that a job waits for another worker after its worker was killed. */
const LOCK_MS = 5_000;

const WORKER_OPTIONS = {
  lockDuration: LOCK_MS,
  stalledInterval: LOCK_MS,
  maxStalledCount: 1_000,
} as const;

/**
 * Opens a queue on Redis if the options name one, otherwise on PostgreSQL. Finished jobs are removed:
 * all that a queue holds can be rebuilt from the database.
 */
export async function openBull<Data>(
  name: string,
  options: QueueOptions,
  retries: Retries,
): Promise<Bull<Data>> {
  const defaultJobOptions = { removeOnComplete: true, removeOnFail: true, ...retries };
  return options.redisUrl === undefined
    ? await openOnPostgres(name, options.databaseUrl, defaultJobOptions)
    : openOnRedis(name, options.redisUrl, options.prefix, defaultJobOptions);
}

async function openOnPostgres<Data>(
  name: string,
  databaseUrl: string,
  defaultJobOptions: JobsOptions,
): Promise<Bull<Data>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await runMigrations(client, QUEUE_SCHEMA);
  } finally {
    await client.end();
  }
  const connection = {
    connectionString: databaseUrl,
    schema: QUEUE_SCHEMA,
    max: MAX_CONNECTIONS,
    // Jobs lost in a crash of the server are rebuilt, so that no job has to wait for the disk.
    options: '-c synchronous_commit=off',
  };
  const { Queue, Worker } = withBackend(createPostgresBackend);
  const queue = new Queue(name, { connection, defaultJobOptions });
  return bullOf('postgres', queue, (handle, concurrency) => {
    const options = { ...WORKER_OPTIONS, connection, concurrency };
    return new Worker<Data>(name, (job) => handle(job.data), options);
  });
}

function openOnRedis<Data>(
  name: string,
  url: string,
  prefix: string,
  defaultJobOptions: JobsOptions,
): Bull<Data> {
  const connections: Redis[] = [];
  const connect = () => {
    // BullMQ requires this setting for connections on which it blocks.
    const connection = new Redis(url, { maxRetriesPerRequest: null });
    connections.push(connection);
    return connection;
  };
  const queue = new RedisQueue(name, { connection: connect(), prefix, defaultJobOptions });
  const opened = bullOf<Data>('redis', queue, (handle, concurrency) => {
    const options = { ...WORKER_OPTIONS, connection: connect(), prefix, concurrency };
    return new RedisWorker<Data>(name, (job) => handle(job.data), options);
  });
  return {
    ...opened,
    close: async () => {
      await opened.close();
      for (const connection of connections) connection.disconnect();
    },
  };
}

function bullOf<Data>(
  backend: Backend,
  queue: BullQueue<Data>,
  startWorker: (handle: (data: Data) => Promise<void>, concurrency: number) => BullWorker,
): Bull<Data> {
  // The queue reconnects; without a listener, the error of a lost connection would end the process.
  queue.on('error', () => {});
  return {
    backend,
    queue,
    counts: async () => {
      const counts = await queue.getJobCounts('waiting', 'active', 'delayed');
      // The backends disagree on which end of a list is older, so all waiting jobs are read.
      const jobs = counts.waiting ? await queue.getJobs(['waiting'], 0, MAX_WAITING - 1, true) : [];
      const since = jobs.map(({ timestamp, opts }) => timestamp + (opts.delay ?? 0));
      return {
        ...(since.length > 0 && { oldestMs: Math.max(0, Date.now() - Math.min(...since)) }),
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
