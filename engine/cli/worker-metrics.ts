import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { readOutboxes } from '../db/commerce/outbox-metrics.ts';
import type { Pool } from '../db/connection.ts';
import { readRelayerWatch, transactionsLeft } from '../db/read/system/relayer.ts';
import { processWatch } from '../http/operations/metrics.ts';
import type { BatchTotals } from '../settlement/batch.ts';
import type { ReadMetrics } from './metrics-server.ts';

/** Messages that a worker sends. */
type Outbox = 'webhooks' | 'mails';

/** Metrics of one worker. */
export interface WorkerMetrics {
  readonly batch: (batch: BatchTotals) => void;
  /** Counts a job whose lock expired while it ran. */
  readonly lostJobLock: () => void;
  /** Counts an attempt at a webhook or a mail, by one of a few outcomes. */
  readonly attempt: (outbox: Outbox, outcome: string) => void;
  readonly text: ReadMetrics;
}

/** Seconds, from an empty batch to one of 2,000 facts on a slow disk. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * Makes the Prometheus metrics of a worker (docs/operate/watch.md#metrics-and-traces), without reading anything.
 * @param register registry that they are added to; `scripts/monitoring.ts` lists its metrics.
 */
export function workerMetrics(pool: Pool, register = new Registry()): WorkerMetrics {
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
  const lostLocks = counter(
    'lost_job_locks',
    'Jobs whose lock expired while this worker ran them.',
  );
  const attempts = new Counter({
    name: 'tributary_outbox_attempts_total',
    help: 'Attempts of this worker at webhooks and mails, by outcome.',
    labelNames: ['outbox', 'outcome'],
    registers,
  });
  const watchOutboxes = outboxGauges(register);
  const watchRelayer = relayerGauges(register);
  return {
    attempt: (outbox, outcome) => attempts.inc({ outbox, outcome }),
    lostJobLock: () => lostLocks.inc(),
    batch: (batch) => {
      seconds.observe({ outcome: batch.outcome }, batch.ms / 1_000);
      events.inc(batch.events);
      rolledBack.inc(batch.rolledBack);
      discrepancies.inc(batch.discrepancies);
    },
    text: async () => {
      watchProcess();
      await Promise.all([watchOutboxes(pool), watchRelayer(pool)]);
      return { text: await register.metrics(), contentType: register.contentType };
    },
  };
}

/** Creates the gauges of the relayer; the returned function reads and sets them. Without a relayer they have no value. */
function relayerGauges(register: Registry): (pool: Pool) => Promise<void> {
  const registers = [register];
  const orders = new Gauge({
    name: 'tributary_relayer_orders',
    help: 'Signed orders that wait to be sent, and that were sent and are in no block.',
    labelNames: ['state'],
    registers,
  });
  const left = new Gauge({
    name: 'tributary_relayer_transactions_left',
    help: 'Transactions that the account of the relayer can pay for.',
    labelNames: ['address'],
    registers,
  });
  return async (pool) => {
    orders.reset();
    left.reset();
    const watch = await readRelayerWatch(pool).catch(() => null);
    if (watch === null) return;
    orders.set({ state: 'waiting' }, watch.waiting);
    orders.set({ state: 'sent' }, watch.sent);
    left.set({ address: watch.address }, transactionsLeft(watch));
  };
}

/** Creates the gauges of what waits to be sent; the returned function reads and sets them. */
function outboxGauges(register: Registry): (pool: Pool) => Promise<void> {
  const gauge = (name: string, help: string) =>
    new Gauge({
      ...{ name: `tributary_outbox_${name}`, help, labelNames: ['outbox'] },
      registers: [register],
    });
  const queued = gauge('queued', 'Webhooks and mails that wait; 100,000 at most.');
  const late = gauge('late_seconds', 'How long the oldest has been due that may be sent now.');
  const disabled = gauge('disabled', 'Endpoints turned off, and addresses that are undeliverable.');
  return async (pool) => {
    for (const one of [queued, late, disabled]) one.reset();
    const now = Date.now();
    // Without the database these are missing, and the others are still served.
    const states = await readOutboxes(pool, new Date(now)).catch(() => undefined);
    for (const [outbox, state] of Object.entries(states ?? {})) {
      queued.set({ outbox }, state.queued);
      const { oldestDue } = state;
      late.set({ outbox }, oldestDue === null ? 0 : Math.max(0, now / 1_000 - oldestDue));
      disabled.set({ outbox }, state.disabled);
    }
  };
}
