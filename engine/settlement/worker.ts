import type { Keccak256 } from '../core/digest.ts';
import type { Pool } from '../db/connection.ts';
import { type Batch, batchOf } from './batch.ts';
import type { QueueWorker } from './bull.ts';
import type { Chain } from './chain.ts';
import { startFeeder } from './feeder-loop.ts';
import type { SettleQueue } from './queue.ts';
import { type Settled, settleCampaigns } from './settle-campaigns.ts';

/** What a worker tells of its work; the entry point logs it. */
export interface WorkerLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface WorkerOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  readonly queue: SettleQueue;
  readonly keccak256: Keccak256;
  readonly log: WorkerLog;
  /** Facts folded in one transaction, at most. */
  readonly batchSize: number;
  /** Batches under way at once in this worker. */
  readonly concurrency: number;
  /** Milliseconds between two looks of the feeder where nothing wakes it. */
  readonly pollMs: number;
  /** The indexer's NOTIFY channel, a hint that there is a new block. */
  readonly indexerChannel: string;
  /** Told of each transaction. */
  readonly onBatch?: (batch: Batch) => void;
}

/** A worker under way. */
export interface Worker {
  /** Ends when the batches under way have committed. */
  stop(): Promise<void>;
}

/**
 * Starts a worker: it settles the campaigns that the queue names and, while it leads, feeds the
 * queue. Any number may run: one of them leads, and another takes over where it dies.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const jobs = handleJobs(options);
  const feeder = await startFeeder(options);
  return {
    stop: async () => {
      await feeder.stop();
      await jobs.close();
    },
  };
}

function handleJobs(options: WorkerOptions): QueueWorker {
  const { queue, log, concurrency } = options;
  return queue.work(
    async ({ campaignIds }) => {
      try {
        await settleAll(options, campaignIds);
      } catch (error) {
        if (campaignIds.length === 1) throw error;
        log.warn({ err: error, campaigns: campaignIds.length }, 'each campaign goes by itself');
        await queue.push(campaignIds.map((campaignId) => [campaignId]));
      }
    },
    { concurrency, onError: (error) => log.error({ err: error }, 'a job failed') },
  );
}

/** Settles campaigns batch by batch, for as long as there is more of them. */
async function settleAll(options: WorkerOptions, campaignIds: readonly string[]): Promise<void> {
  for (let ids = campaignIds; ids.length > 0; ) {
    const started = performance.now();
    const settled = await settleCampaigns(options, ids);
    const ms = Math.round(performance.now() - started);
    const batch = batchOf(settled, ms);
    options.onBatch?.(batch);
    logBatch(options.log, settled, batch);
    // A batch that was not full left nothing behind: the feeder sees whatever comes later, and
    // what the clock has due.
    ids = settled.flatMap(({ campaignId, full }) => (full ? [campaignId] : []));
  }
}

function logBatch(log: WorkerLog, settled: readonly Settled[], { events, ms }: Batch): void {
  for (const { campaignId, outcome, rolledBack, discrepancies } of settled) {
    if (rolledBack > 0) log.warn({ campaignId, rolledBack }, 'rolled back after a reorg');
    if (discrepancies > 0) log.error({ campaignId, discrepancies }, 'the chain differs');
    if (outcome === 'stopped') log.error({ campaignId }, 'campaign stopped');
  }
  const folded = settled.flatMap((one) => (one.events > 0 ? [one.campaignId] : []));
  const [campaignId] = folded;
  if (campaignId === undefined) return;
  const what = folded.length === 1 ? { campaignId } : { campaigns: folded.length };
  log.info({ ...what, events, ms }, 'settled');
}
