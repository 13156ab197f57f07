import {
  type Backend,
  openBull,
  type QueueCounts,
  type QueueOptions,
  type QueueWorker,
  type WorkOptions,
} from './bull.ts';

/** The only job there is: look at a campaign. What to do there, the ledger knows. */
export interface SettleJob {
  readonly campaignId: string;
}

export interface SettleQueue {
  readonly backend: Backend;
  /** Says that campaigns have something to look at; a campaign that waits already is left alone. */
  push(campaignIds: readonly string[]): Promise<void>;
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
  };
}
