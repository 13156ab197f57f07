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

/** Where BullMQ keeps its queues. */
export type Backend = 'redis' | 'postgres';

/** How many jobs stand where. */
export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  /** Milliseconds that the oldest job waits for a worker; none where nothing waits. */
  readonly oldestMs?: number;
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

export interface WorkOptions {
  /** Jobs handled at once. */
  readonly concurrency: number;
  readonly onError: (error: Error) => void;
}

/** A queue of BullMQ, on whichever backend: what the queues of this project are made of. */
export interface Bull<Data> {
  readonly backend: Backend;
  readonly queue: BullQueue<Data>;
  counts(): Promise<QueueCounts>;
  /** Starts handling jobs; a job that fails blocks no other. */
  work(handle: (data: Data) => Promise<void>, options: WorkOptions): QueueWorker;
  close(): Promise<void>;
}

/** The part of BullMQ's queue that both backends share, and all that is used of it. */
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
  /** For how many milliseconds it was to be put off; its own `delay` is 0 once that is over. */
  readonly opts: { readonly delay?: number };
}

interface BullWorker {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: unknown, error: Error) => void): unknown;
  close(): Promise<void>;
}

/** How often a job that fails is tried, and how long it waits in between. */
export type Retries = Pick<JobsOptions, 'attempts' | 'backoff'>;

const QUEUE_SCHEMA = 'queue';

/** Waiting jobs among which the oldest is looked for. */
const WAITING_MOST = 1_000;

/** Connections of one queue to PostgreSQL, at most. */
const CONNECTIONS_MOST = 10;

/** After a hard kill a job waits this long before another worker takes it up. */
const LOCK_MS = 5_000;

const WORKER_OPTIONS = {
  lockDuration: LOCK_MS,
  stalledInterval: LOCK_MS,
  maxStalledCount: 1_000,
} as const;

/**
 * Opens a queue on Redis or PostgreSQL, whichever the options name. Its jobs leave no trace: whatever
 * a queue holds can be rebuilt from the database.
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
    max: CONNECTIONS_MOST,
    // What a crash of the server takes with it is rebuilt; waiting for the disk at each job is not.
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
    // BullMQ asks for this setting where it blocks on a connection.
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
  // Without a listener, an error of a lost connection would end the process; it reconnects.
  queue.on('error', () => {});
  return {
    backend,
    queue,
    counts: async () => {
      const counts = await queue.getJobCounts('waiting', 'active', 'delayed');
      // Backends do not agree which end of a list is the older one: look at all that there may be.
      const jobs = counts.waiting
        ? await queue.getJobs(['waiting'], 0, WAITING_MOST - 1, true)
        : [];
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
