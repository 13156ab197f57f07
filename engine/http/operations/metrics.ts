import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { readConsistently } from '../../db/read/snapshot.ts';
import { logArchiveFails } from '../../db/read/system/backups.ts';
import { type LedgerStatus, readStatus } from '../../db/read/system/status.ts';
import { type LedgerTotals, ledgerTotals } from '../../db/read/system/totals.ts';
import { version } from '../../version.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import type { AppDeps } from '../deps.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { StreamHub } from '../stream/hub.ts';
import { alarmNames, alarmsOf, observationsOf, readQueueStats } from './watchdogs.ts';

/** Metrics that Prometheus reads at `/metrics` (docs/operate/watch.md#metrics-and-traces). */
export interface Metrics {
  /** Counts an answered request. `name` is a method of the registry, or `other`. */
  readonly answered: (request: { name: string; status: number; seconds: number }) => void;
  /** Returns the text of all metrics, and its content type. */
  readonly read: () => Promise<{ readonly text: string; readonly contentType: string }>;
}

type StreamCounts = Pick<StreamHub, 'readerCount' | 'cutCount'>;
type ReplicaCounts = Pick<Replicas, 'states' | 'counts'>;
type MetricsDeps = Pick<AppDeps, 'pool' | 'queueStats' | 'clock' | 'logger' | 'stallSeconds'> & {
  readonly replicas?: ReplicaCounts | undefined;
};

/** Milliseconds for which metrics of the ledger are cached, so that scrapes are cheap. */
const LEDGER_MS = 2_000;

/** Buckets of the response time in seconds: from the fastest read to the longest verification. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/**
 * Creates the metrics of one API process, without reading anything.
 * @param register registry that they are added to; `scripts/monitoring.ts` lists its metrics.
 */
export function makeMetrics(
  deps: MetricsDeps,
  stream: StreamCounts,
  cache: Pick<ResponseCache, 'counts'> | undefined,
  register = new Registry(),
): Metrics {
  const requests = new Counter({
    name: 'tributary_http_requests_total',
    help: 'Requests answered, by method of the registry and status.',
    labelNames: ['method', 'status'],
    registers: [register],
  });
  const duration = new Histogram({
    name: 'tributary_http_request_seconds',
    help: 'Time to answer, by method of the registry.',
    labelNames: ['method'],
    buckets: BUCKETS,
    registers: [register],
  });
  const ledger = ledgerGauges(register);
  watchStream(register, stream);
  if (cache !== undefined) watchCache(register, cache);
  if (deps.replicas !== undefined) watchReplicas(register, deps.replicas);
  const watchProcess = processWatch(register);
  let at = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  /** Reads the ledger, once for all concurrent scrapes; `tributary_up` shows a failure. */
  async function refresh(): Promise<void> {
    if (deps.clock() - at < LEDGER_MS) return;
    reading ??= ledger(deps).finally(() => {
      at = deps.clock();
      reading = undefined;
    });
    await reading;
  }

  return {
    answered: ({ name, status, seconds }) => {
      requests.inc({ method: name, status: String(status) });
      duration.observe({ method: name }, seconds);
    },
    read: async () => {
      watchProcess();
      await refresh();
      return { text: await register.metrics(), contentType: register.contentType };
    },
  };
}

/**
 * Adds Prometheus' metrics of a process when it is first called, at the first scrape: they watch the event loop,
 * a hundred times a second.
 */
export function processWatch(register: Registry): () => void {
  new Gauge({
    name: 'tributary_build_info',
    help: 'Always 1; its label is the version of Tributary that runs.',
    labelNames: ['version'],
    registers: [register],
  }).set({ version }, 1);
  let watches = false;
  return () => {
    if (!watches) collectDefaultMetrics({ register });
    watches = true;
  };
}

/** Reads the metrics of the stream at each scrape. */
function watchStream(register: Registry, stream: StreamCounts): void {
  new Gauge({
    name: 'tributary_stream_readers',
    help: 'Streams of changes that are open.',
    registers: [register],
    collect() {
      this.set(stream.readerCount);
    },
  });
  new Counter({
    name: 'tributary_stream_cut_total',
    help: 'Readers of the stream that were cut because they were too slow.',
    registers: [register],
    collect() {
      this.reset();
      this.inc(stream.cutCount);
    },
  });
}

/** Reads the counts of the response cache at each scrape. */
function watchCache(register: Registry, { counts }: Pick<ResponseCache, 'counts'>): void {
  new Counter({
    name: 'tributary_cacheable_responses_total',
    help: 'Responses of cacheable methods, by origin: cached, shared with a concurrent request, or computed.',
    labelNames: ['origin'],
    registers: [register],
    collect() {
      this.reset();
      for (const [origin, count] of Object.entries(counts)) this.inc({ origin }, count);
    },
  });
}

/** Reads the states of the replicas and the counts of their reads at each scrape. */
function watchReplicas(register: Registry, replicas: ReplicaCounts): void {
  const registers = [register];
  new Gauge({
    name: 'tributary_replica_in_use',
    help: '1 if a replica answers reads, by its number in DATABASE_REPLICA_URLS.',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const { name, state } of replicas.states()) {
        this.set({ replica: name }, state === 'in-use' ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'tributary_replica_lag_blocks',
    help: 'Blocks that the settled block of a replica is behind the newest known one.',
    labelNames: ['replica'],
    registers,
    collect() {
      this.reset();
      for (const { name, lagBlocks } of replicas.states()) {
        if (lagBlocks !== null) this.set({ replica: name }, lagBlocks);
      }
    },
  });
  new Counter({
    name: 'tributary_replica_reads_total',
    help: 'Reads that replicas may answer, by the replica that did; primary if none could; repeated on the primary if one failed or found nothing.',
    labelNames: ['by'],
    registers,
    collect() {
      this.reset();
      const { primary, repeated } = replicas.counts;
      this.inc({ by: 'primary' }, primary);
      this.inc({ by: 'repeated' }, repeated);
      for (const [index, count] of replicas.counts.replicas.entries()) {
        this.inc({ by: String(index + 1) }, count);
      }
    },
  });
}

/** Creates the gauges of the ledger; the returned function reads the ledger and sets them. */
function ledgerGauges(register: Registry): (deps: MetricsDeps) => Promise<void> {
  const gauges = makeLedgerGauges(register);
  return async (deps) => {
    const reads = readConsistently(deps.pool, async (sql) => ({
      value: await Promise.all([readStatus(sql), ledgerTotals(sql), logArchiveFails(sql)]),
    }));
    const [[ledger], queue] = await Promise.all([
      Promise.allSettled([reads]),
      readQueueStats(deps),
    ]);
    gauges.up.set({ part: 'ledger' }, ledger.status === 'fulfilled' ? 1 : 0);
    gauges.up.set({ part: 'queue' }, queue === null ? 0 : 1);
    if (ledger.status === 'fulfilled') {
      const [status, totals, archiveFails] = ledger.value.value;
      setHeads(gauges, status);
      setTotals(gauges, totals);
      setRpcs(gauges, status);
      gauges.unarchived.set(archiveFails ? 1 : 0);
      gauges.backupAt.set((status.lastBackupAt?.getTime() ?? 0) / 1_000);
      const alarms = alarmsOf(observationsOf(status, queue), deps.stallSeconds);
      for (const name of alarmNames) {
        gauges.alarm.set({ name }, alarms.filter((one) => one.name === name).length);
      }
    }
    if (queue !== null) {
      const { waiting, active, delayed } = queue;
      for (const [state, count] of Object.entries({ waiting, active, delayed })) {
        gauges.jobs.set({ state }, count);
      }
    }
  };
}

type LedgerGauges = ReturnType<typeof makeLedgerGauges>;

function makeLedgerGauges(register: Registry) {
  const registers = [register];
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge({ name: `tributary_${name}`, help, labelNames, registers });
  return {
    up: gauge('up', '1 if the ledger could be read, by part.', ['part']),
    block: gauge('block', 'Height of each head.', ['head']),
    lag: gauge('lag_blocks', 'Blocks that one head is behind another.', ['stage']),
    settledAt: gauge('settled_timestamp_seconds', 'Time of the settled block.'),
    backupAt: gauge('backup_timestamp_seconds', 'Time of the newest backup; 0 without one.'),
    unarchived: gauge(
      'log_archive_failed',
      '1 if the last attempt of PostgreSQL to archive its log failed.',
    ),
    total: gauge('ledger', 'What the ledger holds in all.', ['what']),
    discrepancies: gauge('discrepancies', 'Where the chain differs from the prediction.'),
    stopped: gauge('stopped_campaigns', 'Campaigns that settlement gave up on; 20 at most.'),
    jobs: gauge('queue_jobs', 'Jobs of settlement.', ['state']),
    rpcWell: gauge('rpc_well', '1 if an RPC responds as it should, by its place in RPC_URL.', [
      'part',
      'rpc',
    ]),
    rpcDisagreements: gauge('rpc_disagreements', 'Answers that differed from other RPCs.', [
      'part',
      'rpc',
    ]),
    rpcLogBlocks: gauge('rpc_log_blocks', 'Most blocks of one eth_getLogs, if more were refused.', [
      'part',
      'rpc',
    ]),
    alarm: gauge('alarms', 'What needs a person, by name: docs/operate/run.md.', ['name']),
  };
}

function setHeads(
  { block, lag, settledAt, discrepancies, stopped }: LedgerGauges,
  { heads, discrepancies: found, stopped: list }: LedgerStatus,
): void {
  const at = {
    chain: heads?.chainNumber ?? null,
    indexed: heads?.indexedNumber ?? null,
    settled: heads?.settled?.number ?? null,
    finalized: heads?.finalizedNumber ?? null,
  };
  for (const [head, number] of Object.entries(at)) if (number !== null) block.set({ head }, number);
  const setLag = (stage: string, front: number | null, back: number | null) => {
    if (front !== null && back !== null) lag.set({ stage }, Math.max(0, front - back));
  };
  setLag('indexer', at.chain, at.indexed);
  setLag('settlement', at.indexed, at.settled);
  setLag('total', at.chain, at.settled);
  if (heads?.settled) settledAt.set(heads.settled.timestamp);
  discrepancies.set(found.count);
  stopped.set(list.length);
}

function setRpcs(
  { rpcWell, rpcDisagreements, rpcLogBlocks }: LedgerGauges,
  { watch }: LedgerStatus,
): void {
  for (const gauge of [rpcWell, rpcDisagreements, rpcLogBlocks]) gauge.reset();
  for (const { part, place, state, disagreements, maxLogBlocks } of watch?.rpcs ?? []) {
    const labels = { part, rpc: String(place) };
    rpcWell.set(labels, state === 'ok' || state === 'unused' ? 1 : 0);
    rpcDisagreements.set(labels, disagreements);
    if (maxLogBlocks !== null) rpcLogBlocks.set(labels, maxLogBlocks);
  }
}

function setTotals(
  { total }: LedgerGauges,
  { campaigns, events, sales, settledSales }: LedgerTotals,
): void {
  const totals = { campaigns, events, sales, settled_sales: settledSales };
  for (const [what, count] of Object.entries(totals)) total.set({ what }, count);
}
