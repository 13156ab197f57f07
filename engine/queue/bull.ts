import { randomInt } from 'node:crypto';
import {
  ErrorCode,
  type Job,
  type JobsOptions,
  PostgresConnection,
  PostgresQueueBackend,
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
  /** True if the process handles jobs, and so needs a connection all the time. */
  readonly isWorker?: boolean;
}

/** How a worker handles jobs. */
export interface WorkOptions {
  /** Jobs handled concurrently. */
  readonly concurrency: number;
  readonly onError: (error: Error) => void;
  /**
   * Called for each job whose lock expired while it ran, because the process was paused or got no processor
   * time for `LOCK_MS`: another worker may run it as well.
   */
  readonly onLostLock?: (jobId: string) => void;
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
  on(event: 'lockRenewalFailed', listener: (jobIds: string[]) => void): unknown;
  on(event: 'failed', listener: (job: unknown, error: Error) => void): unknown;
  close(): Promise<void>;
}

/** How often a failing job is tried, how long it waits in between, and when it can be pushed again. */
export interface JobPolicy extends Pick<JobsOptions, 'attempts' | 'backoff'> {
  /** True if the same job can be pushed again as soon as it runs; otherwise when it has ended. */
  readonly canPushWhileRunning: boolean;
}

const QUEUE_SCHEMA = 'queue';

/** Waiting jobs among which the oldest is searched for. */
const MAX_WAITING = 1_000;

/** PostgreSQL connections of all queues of a process: each statement uses one while it runs. */
const MAX_CONNECTIONS = 20;

/** Milliseconds without a statement after which a connection to PostgreSQL is closed. */
const IDLE_MS = 2_000;

/** Milliseconds that a statement waits for a connection before another one is opened, which takes as long. */
const GROW_MS = 10;

/**
 * Milliseconds after which a job of a worker that was killed or does not respond goes to another worker. A worker
 * renews its locks from the thread that runs its jobs: with 5 s, locks were lost when several workers started
 * on a busy machine (docs/how-it-works/settlement.md#lost-job-locks).
 */
const LOCK_MS = 30_000;

/** Jobs with lost locks that are remembered, so that each is reported once. */
const MAX_REMEMBERED_LOCKS = 1_000;

/** Milliseconds between two renewals: a few may be late. */
const RENEW_MS = 5_000;

/** Milliseconds between two searches for such jobs. */
const STALLED_INTERVAL_MS = 5_000;

function workerOptions() {
  return {
    lockDuration: LOCK_MS,
    lockRenewTime: RENEW_MS,
    // Queues that search together need a connection each.
    stalledInterval: randomInt(STALLED_INTERVAL_MS, 1.1 * STALLED_INTERVAL_MS),
    maxStalledCount: 1_000,
  };
}

/** BullMQ's codes of an error for a job whose lock has expired, or is another worker's. */
const LOST_LOCK_CODES: ReadonlySet<unknown> = new Set([
  ErrorCode.JobLockNotExist,
  ErrorCode.JobLockMismatch,
]);

/** The server that queues are on. All queues of a process on PostgreSQL share connections, of which one listens. */
export interface QueueServer {
  /**
   * Opens a queue. Finished jobs are removed: all that a queue holds can be rebuilt from the database.
   * Close it before the server.
   */
  open<Data>(name: string, policy: JobPolicy): Bull<Data>;
  close(): Promise<void>;
}

/** Connects to Redis if the options name one, otherwise to PostgreSQL. */
export async function openQueueServer(options: QueueOptions): Promise<QueueServer> {
  const { redisUrl, prefix } = options;
  return redisUrl === undefined
    ? await postgresServer(options)
    : {
        open: (name, policy) => openOnRedis(name, redisUrl, prefix, settingsOf(policy)),
        close: async () => {},
      };
}

/** Opens a queue on a server of its own. */
export async function openBull<Data>(
  name: string,
  options: QueueOptions,
  policy: JobPolicy,
): Promise<Bull<Data>> {
  const server = await openQueueServer(options);
  const bull = server.open<Data>(name, policy);
  return {
    ...bull,
    close: async () => {
      await bull.close();
      await server.close();
    },
  };
}

/** How jobs of a queue are added and run. */
interface JobSettings extends Pick<JobPolicy, 'canPushWhileRunning'> {
  readonly options: JobsOptions;
}

function settingsOf({ canPushWhileRunning, ...retries }: JobPolicy): JobSettings {
  return {
    options: { removeOnComplete: true, removeOnFail: true, ...retries },
    canPushWhileRunning,
  };
}

async function postgresServer({
  databaseUrl,
  isWorker = false,
}: QueueOptions): Promise<QueueServer> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await runMigrations(client, QUEUE_SCHEMA);
  } finally {
    await client.end();
  }
  const connection = new QueueConnection({
    connectionString: databaseUrl,
    schema: QUEUE_SCHEMA,
    max: MAX_CONNECTIONS,
    min: isWorker ? 1 : 0,
    idleTimeoutMillis: IDLE_MS,
    // Jobs lost in a crash of the server are rebuilt, so that no job has to wait for the disk.
    options: '-c synchronous_commit=off',
  });
  return {
    open: (name, policy) => openOnPostgres(name, connection, settingsOf(policy)),
    close: () => connection.close(),
  };
}

/** Connections of all queues of a process. Each queue subscribes on the one that listens, which runs one statement at a time. */
class QueueConnection extends PostgresConnection {
  readonly #inTurn = new WeakSet<object>();

  constructor(options: ConstructorParameters<typeof PostgresConnection>[0]) {
    super(options);
    const query = this.pool.query.bind(this.pool);
    const patience = new GrowthPatience(this.pool);
    this.pool.query = (...statement) => patience.run(() => query(...statement));
  }

  override async getListenClient(): ReturnType<PostgresConnection['getListenClient']> {
    const client = await super.getListenClient();
    if (this.#inTurn.has(client)) return client;
    this.#inTurn.add(client);
    const query = client.query.bind(client);
    let last: Promise<unknown> = Promise.resolve();
    client.query = (...statement) => {
      const answer = last.then(() => query(...statement));
      last = answer.catch(() => {});
      return answer;
    };
    return client;
  }
}

/** Lets statements wait a moment for a connection: BullMQ sends its short ones together, each would open its own. */
class GrowthPatience {
  readonly #pool: { readonly idleCount?: number; readonly totalCount?: number };
  readonly #waiting = new Set<() => void>();

  /** @param pool of `pg`; without its counts, nothing waits. */
  constructor(pool: object) {
    this.#pool = pool;
  }

  async run<T>(send: () => Promise<T>): Promise<T> {
    if (this.#pool.idleCount === 0 && this.#pool.totalCount !== 0) await this.#nextFree();
    try {
      return await send();
    } finally {
      const [first] = this.#waiting;
      first?.();
    }
  }

  async #nextFree(): Promise<void> {
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer);
        this.#waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, GROW_MS);
      this.#waiting.add(go);
    });
  }
}

/** BullMQ's access to one queue, which leaves the connections of its server open when it is closed. */
class SharedBackend extends PostgresQueueBackend {
  override async close(): Promise<void> {}
  override async disconnect(): Promise<void> {
    await this.disconnectBlocking();
  }
}

function openOnPostgres<Data>(
  name: string,
  connection: PostgresConnection,
  jobs: JobSettings,
): Bull<Data> {
  const { Queue, Worker } = withBackend(
    (queueName, options) =>
      new SharedBackend(connection, queueName, { ...options, connection: {} }),
  );
  // BullMQ's types demand it; the backend has its own.
  const options = { connection: {} };
  const queue = new Queue(name, { ...options, defaultJobOptions: jobs.options });
  return bullOf('postgres', queue, (handle, running, concurrency) => {
    const work = { ...workerOptions(), ...options, concurrency };
    return new Worker<Data>(name, processor(jobs, running, handle), work);
  });
}

function openOnRedis<Data>(
  name: string,
  url: string,
  prefix: string,
  jobs: JobSettings,
): Bull<Data> {
  const connections: Redis[] = [];
  const connect = () => {
    // BullMQ requires this setting for connections on which it blocks.
    const connection = new Redis(url, { maxRetriesPerRequest: null });
    connections.push(connection);
    return connection;
  };
  const queue = new RedisQueue(name, {
    connection: connect(),
    prefix,
    defaultJobOptions: jobs.options,
  });
  const opened = bullOf<Data>('redis', queue, (handle, running, concurrency) => {
    const options = { ...workerOptions(), connection: connect(), prefix, concurrency };
    return new RedisWorker<Data>(name, processor(jobs, running, handle), options);
  });
  return {
    ...opened,
    close: async () => {
      await opened.close();
      for (const connection of connections) connection.disconnect();
    },
  };
}

function processor<Data>(
  { canPushWhileRunning }: JobSettings,
  running: Running,
  handle: (data: Data) => Promise<void>,
): (job: Pick<Job<Data>, 'data' | 'id' | 'removeDeduplicationKey'>) => Promise<void> {
  return async (job) => {
    const jobId = job.id ?? '';
    running.add(jobId);
    try {
      if (canPushWhileRunning) await job.removeDeduplicationKey();
      await handle(job.data);
    } finally {
      running.delete(jobId);
    }
  };
}

function bullOf<Data>(
  backend: Backend,
  queue: BullQueue<Data>,
  startWorker: (
    handle: (data: Data) => Promise<void>,
    running: Running,
    concurrency: number,
  ) => BullWorker,
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
    work: (handle, { concurrency, ...listeners }) => {
      const running: Running = new Set();
      const worker = startWorker(handle, running, concurrency);
      listen(worker, running, listeners);
      return { close: () => worker.close() };
    },
    close: () => queue.close(),
  };
}

/** Jobs that one worker runs. */
type Running = Set<string>;

/**
 * Reports errors and lost locks. BullMQ reports a lost lock at each renewal and at the end of the job: here it is
 * reported once. It also reports a job that ended while its lock was being renewed, on another connection: that
 * is none.
 */
function listen(
  worker: BullWorker,
  running: Running,
  { onError, onLostLock = () => {} }: Omit<WorkOptions, 'concurrency'>,
): void {
  const lost = new Set<string>();
  const lose = (jobId: string) => {
    if (lost.has(jobId)) return;
    // Ids are not used again, so the oldest are not needed for long.
    if (lost.size >= MAX_REMEMBERED_LOCKS) lost.clear();
    lost.add(jobId);
    onLostLock(jobId);
  };
  worker.on('lockRenewalFailed', (jobIds) => {
    for (const jobId of jobIds) if (running.has(jobId)) lose(jobId);
  });
  worker.on('error', (error) => {
    const jobId = lostLockOf(error);
    if (jobId !== undefined) lose(jobId);
    else if (!error.message.startsWith('could not renew lock for job ')) onError(error);
  });
  worker.on('failed', (_job, error) => {
    if (lostLockOf(error) === undefined) onError(error);
  });
}

/** Id of the job that ended without its lock, if that is what an error of BullMQ says. */
function lostLockOf(error: Error): string | undefined {
  if (!('code' in error && LOST_LOCK_CODES.has(error.code))) return undefined;
  return /for job (\S+)\./.exec(error.message)?.[1];
}
