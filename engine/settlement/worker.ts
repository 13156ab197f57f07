import type { Keccak256 } from '../core/digest.ts';
import type { Pool } from '../db/connection.ts';
import type { QueueWorker } from './bull.ts';
import type { Chain } from './chain.ts';
import { startFeeder } from './feeder-loop.ts';
import type { SettleQueue } from './queue.ts';
import { type Settled, settleCampaign } from './settle-campaign.ts';

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
  /** Campaigns settled at once by this worker. */
  readonly concurrency: number;
  /** Milliseconds between two looks of the feeder where nothing wakes it. */
  readonly pollMs: number;
  /** The indexer's NOTIFY channel, a hint that there is a new block. */
  readonly indexerChannel: string;
  /** Told of each look at a campaign, and how many milliseconds it took. */
  readonly onBatch?: (batch: Settled & { readonly ms: number }) => void;
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

function handleJobs({ queue, log, concurrency, onBatch, ...options }: WorkerOptions): QueueWorker {
  return queue.work(
    async ({ campaignId }) => {
      for (;;) {
        const started = performance.now();
        const settled = await settleCampaign(options, campaignId);
        const ms = Math.round(performance.now() - started);
        onBatch?.({ ...settled, ms });
        const { outcome, events, rolledBack, discrepancies } = settled;
        if (rolledBack > 0) log.warn({ campaignId, rolledBack }, 'rolled back after a reorg');
        if (discrepancies > 0) log.error({ campaignId, discrepancies }, 'the chain differs');
        if (outcome === 'stopped') log.error({ campaignId }, 'campaign stopped');
        if (events > 0) log.info({ campaignId, events, ms }, 'settled');
        // A batch that was not full left nothing behind: the feeder sees whatever comes later, and
        // what the clock has due.
        if (outcome !== 'folded' || events < options.batchSize) return;
      }
    },
    { concurrency, onError: (error) => log.error({ err: error }, 'a job failed') },
  );
}
