import { expect, it } from 'vitest';
import { openQueues, type Queues } from '../../engine/queue/queues.ts';
import { useDatabase } from '../support/own-database.ts';
import { waitFor } from '../support/wait-for.ts';

/*
 * BullMQ's own classes would open a pool and a listener for each queue and each worker. Ours extend its public ones
 * (`PostgresConnection`, `PostgresQueueBackend`, `withBackend`), and depend on how those use each other.
 */

const database = useDatabase();

const open = async (isWorker: boolean): Promise<Queues> =>
  await openQueues({ redisUrl: undefined, databaseUrl: database.url, prefix: 'test', isWorker });

/** Processes of the server that serve queues, and whether each listens. */
async function sessions(): Promise<{ pid: number; listens: boolean }[]> {
  return await database.pool<{ pid: number; listens: boolean }[]>`
    select pid, query ilike '%listen bullmq_jobs%' as listens from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
    order by pid`;
}

/** Starts workers of both queues; `done` has the id of each job. */
function startWorkers({ queue, jobs }: Queues) {
  const done: string[] = [];
  const options = { concurrency: 4, onError: (error: Error) => done.push(error.message) };
  const workers = [
    queue.work(async ({ campaignIds }) => void done.push(...campaignIds), options),
    jobs.work(async (job) => void done.push(job.name), options),
  ];
  return { done, close: () => Promise.all(workers.map((worker) => worker.close())) };
}

it('keeps two sessions for all queues of a worker at rest, one of which listens, and none for those of an API', async () => {
  const [ours, ofApi] = [await open(true), await open(false)];
  const workers = startWorkers(ours);
  try {
    await ofApi.queue.push(Array.from({ length: 20 }, (_, i) => [String(i)]));
    await ofApi.jobs.pushChore('reports.expire');
    await waitFor(async () => workers.done.length === 21, { what: 'all jobs to be done' });
    const isAtRest = async () => (await sessions()).length === 2;
    await waitFor(isAtRest, { what: 'two sessions', timeout: 30_000 });
    expect((await sessions()).filter(({ listens }) => listens)).toHaveLength(1);
  } finally {
    await workers.close();
    await Promise.all([ours.close(), ofApi.close()]);
  }
  await waitFor(async () => (await sessions()).length === 0, { what: 'all sessions to be closed' });
}, 60_000);

it('hears of jobs again after all its sessions were cut', async () => {
  const ours = await open(true);
  const workers = startWorkers(ours);
  try {
    await ours.queue.push([['before']]);
    await waitFor(async () => workers.done.includes('before'), { what: 'the first job' });
    const hasTwo = async () => (await sessions()).length === 2;
    await waitFor(hasTwo, { what: 'two sessions', timeout: 30_000 });
    const cut = await database.pool<{ pid: number }[]>`
      select pid, pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    const pids = cut.map(({ pid }) => pid);
    // A process that has to end may be listed for a moment longer.
    const listens = async () => {
      const now = await sessions();
      return now.some((one) => one.listens) && !now.some(({ pid }) => pids.includes(pid));
    };
    await waitFor(listens, { what: 'another session that listens', timeout: 30_000 });
    await ours.queue.push([['after']]);
    await ours.jobs.pushChore('reports.expire');
    const isDone = async () => ['after', 'chore'].every((name) => workers.done.includes(name));
    await waitFor(isDone, { what: 'the jobs afterwards' });
  } finally {
    await workers.close();
    await ours.close();
  }
}, 60_000);
