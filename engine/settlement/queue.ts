import {
  type Backend,
  openBull,
  type QueueCounts,
  type QueueOptions,
  type QueueWorker,
  type WorkOptions,
} from './bull.ts';

/** The only job there is: look at these campaigns. What to do there, the ledger knows. */
export interface SettleJob {
  /** One, or several that have little to do and are settled together. */
  readonly campaignIds: readonly string[];
}

export interface SettleQueue {
  readonly backend: Backend;
  /**
   * Says that campaigns have something to look at, a job for each list of them. A list that waits
   * already is left alone; that one campaign is in several lists, the one who pushes sees to.
   */
  push(jobs: readonly (readonly string[])[]): Promise<void>;
  counts(): Promise<QueueCounts>;
  /** Starts handling jobs; a job that fails blocks no other. */
  work(handle: (job: SettleJob) => Promise<void>, options: WorkOptions): QueueWorker;
  close(): Promise<void>;
}

/** Opens the queue of settlement. A job is tried once: the feeder sees what is left to do. */
export async function openQueue(options: QueueOptions): Promise<SettleQueue> {
  const { queue, ...bull } = await openBull<SettleJob>('settlement', options, { attempts: 1 });
  return {
    ...bull,
    push: async (jobs) => {
      if (jobs.length === 0) return;
      await queue.addBulk(
        jobs.map((campaignIds) => ({
          name: 'settle',
          data: { campaignIds },
          opts: {
            deduplication: { id: `settle-${campaignIds.join('-')}`, keepLastIfActive: true },
          },
        })),
      );
    },
  };
}
