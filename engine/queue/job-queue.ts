import type { JobPolicy, QueueServer, QueueWorker, WorkOptions } from './bull.ts';

/** A background job. The database knows if it still has to be done. */
export type Job =
  | { readonly name: 'report'; readonly id: string }
  | { readonly name: 'chore'; readonly chore: string };

/** The queue of background jobs. */
export interface JobQueue {
  /** Adds the job of making a report, unless it is waiting already. */
  pushReport(id: string): Promise<void>;
  /** Adds the job of running a chore, unless it is waiting already. */
  pushChore(chore: string): Promise<void>;
  /** Starts handling jobs. A failing job is retried and does not block others. */
  work(handle: (job: Job) => Promise<void>, options: WorkOptions): QueueWorker;
  close(): Promise<void>;
}

/** Attempts at a job, with waits of 5, 10, 20 and 40 s in between. */
export const MAX_TRIES = 5;
const FIRST_WAIT_MS = 5_000;

const NAME = 'jobs';

const POLICY: JobPolicy = {
  attempts: MAX_TRIES,
  canPushWhileRunning: false,
  backoff: { type: 'exponential', delay: FIRST_WAIT_MS },
};

/** Opens the queue of background jobs, which is separate from settlement's. */
export function openJobQueueOn(server: QueueServer): JobQueue {
  const { queue, work, close } = server.open<Job>(NAME, POLICY);
  return {
    pushReport: async (id) => {
      await queue.add('report', { name: 'report', id }, { deduplication: { id: `report-${id}` } });
    },
    pushChore: async (chore) => {
      const deduplication = { id: `chore-${chore}` };
      await queue.add('chore', { name: 'chore', chore }, { deduplication });
    },
    work,
    close,
  };
}
