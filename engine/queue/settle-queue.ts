import {
  type Backend,
  type Bull,
  type JobPolicy,
  openBull,
  type QueueCounts,
  type QueueOptions,
  type QueueServer,
  type QueueWorker,
  type WorkOptions,
} from './bull.ts';

/** The only kind of job: settle these campaigns. The ledger knows what there is to do. */
export interface SettleJob {
  /** One campaign, or several with little to do, which are settled together. */
  readonly campaignIds: readonly string[];
}

/** The queue of campaigns to settle. */
export interface SettleQueue {
  readonly backend: Backend;
  /**
   * Adds a job for each list of campaigns that have something to settle. A list that is still waiting
   * is not added again; the caller sees to it that no campaign is in two lists.
   */
  push(jobs: readonly (readonly string[])[]): Promise<void>;
  counts(): Promise<QueueCounts>;
  /** Starts handling jobs. A failing job does not block others. */
  work(handle: (job: SettleJob) => Promise<void>, options: WorkOptions): QueueWorker;
  close(): Promise<void>;
}

const NAME = 'settlement';

/**
 * A job is tried once: the feeder finds what is left to do. A job that runs does not keep its campaigns from being pushed
 * again, because its worker may have been killed.
 */
const POLICY: JobPolicy = { attempts: 1, canPushWhileRunning: true };

/** Opens the queue of settlement on a server of its own. */
export async function openQueue(options: QueueOptions): Promise<SettleQueue> {
  return settleQueueOf(await openBull(NAME, options, POLICY));
}

/** Opens the queue of settlement. */
export function openQueueOn(server: QueueServer): SettleQueue {
  return settleQueueOf(server.open(NAME, POLICY));
}

function settleQueueOf({ queue, ...bull }: Bull<SettleJob>): SettleQueue {
  return {
    ...bull,
    push: async (jobs) => {
      if (jobs.length === 0) return;
      await queue.addBulk(
        jobs.map((campaignIds) => ({
          name: 'settle',
          data: { campaignIds },
          opts: { deduplication: { id: `settle-${campaignIds.join('-')}` } },
        })),
      );
    },
  };
}
