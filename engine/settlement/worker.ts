import type { Chain } from '../chain/chain.ts';
import type { Keccak256 } from '../core/digest.ts';
import type { Pool } from '../db/connection.ts';
import type { QueueWorker } from '../queue/bull.ts';
import type { SettleQueue } from '../queue/settle-queue.ts';
import { type BatchTotals, batchTotals } from './batch.ts';
import { type FeederLoopOptions, startFeeder } from './feeder-loop.ts';
import { type BatchResult, type SettleOptions, settleCampaigns } from './settle-campaigns.ts';

/** The log that a worker writes to. */
export interface WorkerLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Everything that a worker needs. */
export interface WorkerOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  readonly queue: SettleQueue;
  readonly keccak256: Keccak256;
  readonly log: WorkerLog;
  /** Facts folded in one transaction. */
  readonly batchSize: number;
  /** Concurrent batches of this worker. */
  readonly concurrency: number;
  /** Milliseconds after which a job that has more to settle lets others go first; default a second. */
  readonly turnMs?: number;
  /** Milliseconds between two ticks of the feeder if nothing wakes it. */
  readonly pollMs: number;
  /** The indexer's NOTIFY channel, a hint that there is a new block. */
  readonly indexerChannel: string;
  /** Called after each tick of the feeder while this worker leads. */
  readonly onTick?: NonNullable<FeederLoopOptions['onTick']>;
  /** Called after each transaction. */
  readonly onBatch?: (batch: BatchTotals) => void;
  /** Called for each job whose lock expired while it ran. */
  readonly onLostLock?: () => void;
}

const TURN_MS = 1_000;

/** A running worker. */
export interface Worker {
  /** Resolves when the running batches have committed. */
  stop(): Promise<void>;
}

/**
 * Starts a worker: it settles the campaigns that the queue names and, while it leads, feeds the
 * queue. Any number may run: one of them leads, and another takes over if it dies.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const jobs = handleJobs(options);
  const feeder = await startFeeder({
    ...options,
    settleHere: async (campaignIds, beforeCommit) => {
      try {
        await settleAll({ ...options, beforeCommit }, campaignIds);
        return true;
      } catch (error) {
        await retryAlone(options, campaignIds, error);
        return false;
      }
    },
  });
  return {
    stop: async () => {
      await feeder.stop();
      await jobs.close();
    },
  };
}

function handleJobs(options: WorkerOptions): QueueWorker {
  const { queue, log, concurrency, onLostLock } = options;
  return queue.work(
    async ({ campaignIds }) => {
      try {
        await settleAll(options, campaignIds);
      } catch (error) {
        if (campaignIds.length === 1) throw error;
        await retryAlone(options, campaignIds, error);
      }
    },
    {
      concurrency,
      onError: (error) => log.error({ err: error }, 'a job failed'),
      // Harmless: a worker that runs the job as well finds its campaigns locked, or nothing to do.
      onLostLock: (jobId) => {
        onLostLock?.();
        log.warn(
          { jobId },
          'the lock of a job expired: this worker gets too little processor time',
        );
      },
    },
  );
}

/** Queues each campaign of a batch that failed, so that only the one that fails alone is held back. */
async function retryAlone(
  { queue, log }: WorkerOptions,
  campaignIds: readonly string[],
  error: unknown,
): Promise<void> {
  const fields = { err: error, campaigns: campaignIds.length };
  log.warn(fields, 'batch failed; retrying its campaigns one by one');
  await queue.push(campaignIds.map((campaignId) => [campaignId]));
}

/**
 * Settles campaigns batch by batch until none has hit its limit. If that takes long, others have their turn first: the rest
 * goes to the end of the queue. Otherwise the few jobs that run at a time would be those of the same campaigns for hours.
 */
async function settleAll(
  options: WorkerOptions & Pick<SettleOptions, 'beforeCommit'>,
  campaignIds: readonly string[],
): Promise<void> {
  const turnEnds = performance.now() + (options.turnMs ?? TURN_MS);
  for (let ids = campaignIds; ids.length > 0; ) {
    const started = performance.now();
    const settled = await settleCampaigns(options, ids);
    const ms = Math.round(performance.now() - started);
    const batch = batchTotals(settled, ms);
    options.onBatch?.(batch);
    logBatch(options.log, settled, batch);
    // A batch below its limit left nothing behind; the feeder finds what comes later.
    ids = settled.flatMap(({ campaignId, hitLimit }) => (hitLimit ? [campaignId] : []));
    if (ids.length > 0 && performance.now() >= turnEnds) {
      await options.queue.push([ids]);
      return;
    }
  }
}

function logBatch(
  log: WorkerLog,
  settled: readonly BatchResult[],
  { events, ms }: BatchTotals,
): void {
  for (const { campaignId, outcome, rolledBack, discrepancies } of settled) {
    if (rolledBack > 0) log.warn({ campaignId, rolledBack }, 'rolled back after a reorg');
    if (discrepancies > 0)
      log.error({ campaignId, discrepancies }, 'the ledger differs from the chain');
    if (outcome === 'stopped') log.error({ campaignId }, 'campaign stopped');
  }
  const folded = settled.flatMap((one) => (one.events > 0 ? [one.campaignId] : []));
  const [campaignId] = folded;
  if (campaignId === undefined) return;
  const what = folded.length === 1 ? { campaignId } : { campaigns: folded.length };
  log.info({ ...what, events, ms }, 'settled');
}
