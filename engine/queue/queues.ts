import { openQueueServer, type QueueOptions } from './bull.ts';
import { type JobQueue, openJobQueueOn } from './job-queue.ts';
import { openQueueOn, type SettleQueue } from './settle-queue.ts';

/** All queues of a process. */
export interface Queues {
  readonly queue: SettleQueue;
  readonly jobs: JobQueue;
  close(): Promise<void>;
}

/** Opens all queues of a process, which share connections. */
export async function openQueues(options: QueueOptions): Promise<Queues> {
  const server = await openQueueServer(options);
  const [queue, jobs] = [openQueueOn(server), openJobQueueOn(server)];
  return {
    queue,
    jobs,
    close: async () => {
      await Promise.all([queue.close(), jobs.close()]);
      await server.close();
    },
  };
}
