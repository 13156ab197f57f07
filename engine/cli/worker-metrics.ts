import { Counter, Histogram, Registry } from 'prom-client';
import { processWatch } from '../http/operations/metrics.ts';
import type { BatchTotals } from '../settlement/batch.ts';
import type { ReadMetrics } from './metrics-server.ts';

/** Metrics of one worker. */
export interface WorkerMetrics {
  readonly batch: (batch: BatchTotals) => void;
  readonly text: ReadMetrics;
}

/** Seconds, from an empty batch to one of 2,000 facts on a slow disk. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Makes the Prometheus metrics of a worker (docs/operations.md#metrics-and-traces). */
export function workerMetrics(): WorkerMetrics {
  const register = new Registry();
  const registers = [register];
  const watchProcess = processWatch(register);
  const seconds = new Histogram({
    name: 'tributary_batch_seconds',
    help: 'Duration of a batch, one transaction each, by its outcome.',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers,
  });
  const counter = (name: string, help: string) =>
    new Counter({ name: `tributary_${name}_total`, help, registers });
  const events = counter('folded_events', 'Events folded into the ledger.');
  const rolledBack = counter('rolled_back_events', 'Events rolled back after reorgs.');
  const discrepancies = counter('batch_discrepancies', 'Discrepancies that batches found.');
  return {
    batch: (batch) => {
      seconds.observe({ outcome: batch.outcome }, batch.ms / 1_000);
      events.inc(batch.events);
      rolledBack.inc(batch.rolledBack);
      discrepancies.inc(batch.discrepancies);
    },
    text: async () => {
      watchProcess();
      return { text: await register.metrics(), contentType: register.contentType };
    },
  };
}
