import { once } from 'node:events';
import { createServer } from 'node:http';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Batch } from '../settlement/batch.ts';

/** The metrics of one worker. */
export interface WorkerMetrics {
  readonly batch: (batch: Batch) => void;
  /** Serves them at `/metrics` of that port. @throws Error where it is taken. */
  readonly serve: (host: string, port: number) => Promise<{ close(): Promise<void> }>;
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
    serve: async (host, port) => {
      const server = createServer(async (request, response) => {
        const found = request.url === '/metrics';
        response.writeHead(found ? 200 : 404, { 'content-type': register.contentType });
        response.end(found ? await register.metrics() : '');
      });
      server.listen(port, host);
      await once(server, 'listening');
      return {
        close: async () => {
          const closed = once(server, 'close');
          server.close();
          server.closeAllConnections();
          await closed;
        },
      };
    },
  };
}
