import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Batch } from '../settlement/batch.ts';
import type { ReadMetrics } from './metrics-server.ts';

/** The metrics of one worker. */
export interface WorkerMetrics {
  readonly batch: (batch: Batch) => void;
  readonly text: ReadMetrics;
}

/** Seconds: from an empty look to a batch of 2,000 facts on a slow disk. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** What Prometheus reads of a worker (docs/operations.md, «Metrics»). */
export function workerMetrics(): WorkerMetrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const seconds = new Histogram({
    name: 'tributary_batch_seconds',
    help: 'Time of a look at campaigns, one transaction each, by what it came to.',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers,
  });
  const counter = (name: string, help: string) =>
    new Counter({ name: `tributary_${name}_total`, help, registers });
  const events = counter('folded_events', 'Events folded into the ledger.');
  const rolledBack = counter('rolled_back_events', 'Events taken back after reorgs.');
  const discrepancies = counter('batch_discrepancies', 'Discrepancies that batches found.');
  return {
    batch: (batch) => {
      seconds.observe({ outcome: batch.outcome }, batch.ms / 1_000);
      events.inc(batch.events);
      rolledBack.inc(batch.rolledBack);
      discrepancies.inc(batch.discrepancies);
    },
    text: async () => ({ text: await register.metrics(), contentType: register.contentType }),
  };
}
