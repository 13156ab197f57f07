/** A settlement worker in a process of its own, over a chain that has nothing new to say. */

import { openKeccak } from '../../engine/chain/keccak.ts';
import { limitHeapGrowth } from '../../engine/cli/heap-growth.ts';
import { closePool, openPool, sessionName } from '../../engine/db/connection.ts';
import { openQueue } from '../../engine/queue/settle-queue.ts';
import { startWorker } from '../../engine/settlement/worker.ts';
import { quietChain } from '../data/quiet-chain.ts';
import type { WorkerSettings } from './workers.ts';

const settings: WorkerSettings = JSON.parse(process.argv[2] ?? '{}');
const { databaseUrl, redisUrl, prefix, concurrency, batchSize, head } = settings;

limitHeapGrowth();
const counts = { jobs: 0, batches: 0, retried: 0, lostLocks: 0 };
// Sessions of workers are found by this name; its last word says whose they are.
const applicationName = sessionName(`worker ${process.pid}`);
const pool = openPool(databaseUrl, { max: concurrency + 6, applicationName });
const queue = await openQueue({ redisUrl, databaseUrl, prefix });
const worker = await startWorker({
  pool,
  chain: quietChain(head),
  queue: {
    ...queue,
    work: (handle, options) =>
      queue.work((job) => {
        counts.jobs += 1;
        return handle(job);
      }, options),
  },
  keccak256: await openKeccak(),
  log: {
    info: () => {},
    warn: (fields, message) => {
      if (message.startsWith('batch failed')) counts.retried += 1;
      console.error(message, fields);
    },
    error: (fields, message) => console.error(message, fields),
  },
  batchSize,
  concurrency,
  pollMs: 250,
  indexerChannel: 'bench_indexer',
  onBatch: () => {
    counts.batches += 1;
  },
  onLostLock: () => {
    counts.lostLocks += 1;
  },
});

const before = process.cpuUsage();
process.on('message', async () => {
  const { user, system } = process.cpuUsage(before);
  const { maxRSS } = process.resourceUsage();
  await worker.stop();
  await queue.close();
  await closePool(pool);
  process.send?.({ ...counts, peakMiB: maxRSS / 1_024, cpuMs: (user + system) / 1_000 });
  process.disconnect();
});
// A benchmark that fails leaves no worker behind.
process.on('disconnect', () => process.exit());
process.send?.('ready');
