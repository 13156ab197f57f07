import {
  openBull,
  type QueueOptions,
  type QueueWorker,
  type WorkOptions,
} from '../settlement/bull.ts';

/** What there is to do. Whether it is still to be done, the database knows. */
export type Job =
  | { readonly name: 'report'; readonly id: string }
  | { readonly name: 'chore'; readonly chore: string };

export interface JobQueue {
  /** Says that a report is to be made; one that waits already is left alone. */
  pushReport(id: string): Promise<void>;
  /** Says that a chore is due. */
  pushChore(chore: string): Promise<void>;
  /** Starts handling jobs; a job that fails is tried again, and blocks no other. */
  work(handle: (job: Job) => Promise<void>, options: WorkOptions): QueueWorker;
  close(): Promise<void>;
}

/** Tries of a job, with waits of 5, 10, 20 and 40 s in between. */
export const TRIES_MOST = 5;
const FIRST_WAIT_MS = 5_000;

/** Opens the queue of background jobs, beside settlement's. */
export async function openJobQueue(options: QueueOptions): Promise<JobQueue> {
  const { queue, work, close } = await openBull<Job>('jobs', options, {
    attempts: TRIES_MOST,
    backoff: { type: 'exponential', delay: FIRST_WAIT_MS },
  });
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
