import { type AlarmName, alarmNames } from '../../engine/http/operations/watchdogs.ts';

/** `critical` wakes a person; `warning` waits for working hours. */
export type Severity = 'critical' | 'warning';

/** Series of `promtool test rules`: values by name and labels, one value a minute. */
export type Series = Readonly<Record<string, string>>;

/** Alert of Prometheus. */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  /** Time for which `expr` must hold, as Prometheus writes it. */
  readonly for: string;
  readonly severity: Severity;
  /** One line; may contain `{{ $labels.<label> }}`. */
  readonly summary: string;
  /** Heading of docs/operate/alarms.md that says what to do. */
  readonly runbook: string;
  /** Names of alerts of the same deployment that are not sent while this one fires: it is their cause. */
  readonly hides: readonly string[];
  /** Cases of `promtool test rules`. */
  readonly test: {
    readonly fires: Series;
    readonly quiet: Series;
    /** Time of both checks. */
    readonly at: string;
    /** Labels of the one alert that fires, without its name and severity. */
    readonly labels: Readonly<Record<string, string>>;
  };
}

/** Rule whose result is stored under a name of its own, for alerts and dashboards. */
export const recordings: readonly { readonly record: string; readonly expr: string }[] = [
  {
    // Several APIs report the same alarms. One that cannot read the ledger reports old ones.
    record: 'tributary:alarms:max',
    expr: 'max by (deployment, name) (tributary_alarms unless on (deployment, job, instance) (tributary_up{part="ledger"} == 0))',
  },
  {
    // Pages, /ready and /health are "other": a probe that waits for readiness is no error.
    record: 'tributary:http_requests:rate5m',
    expr: 'sum by (deployment) (rate(tributary_http_requests_total{method!="other"}[5m]))',
  },
  {
    record: 'tributary:http_errors:ratio5m',
    expr: 'sum by (deployment) (rate(tributary_http_requests_total{method!="other",status=~"5.."}[5m])) / tributary:http_requests:rate5m',
  },
  {
    record: 'tributary:http_request_seconds:p95_5m',
    expr: 'histogram_quantile(0.95, sum by (deployment, le) (rate(tributary_http_request_seconds_bucket{method!="other"}[5m])))',
  },
  {
    record: 'tributary:outbox_disabled:max',
    expr: 'max by (deployment, outbox) (tributary_outbox_disabled)',
  },
];

/** How an alarm of the service becomes an alert. */
interface AlarmAlert {
  readonly severity: Severity;
  readonly for: string;
  readonly summary: string;
  /** Alarms that follow from this one. */
  readonly hides: readonly AlarmName[];
}

/**
 * Alert of each alarm. Those about single campaigns and tokens are warnings, because a stranger can cause them
 * with a token of their own, and must not be able to wake a person.
 */
const ofAlarm: Readonly<Record<AlarmName, AlarmAlert>> = {
  'no-worker': {
    severity: 'critical',
    for: '1m',
    summary: 'No worker polls the chain: nothing is settled.',
    hides: ['indexer-stalled', 'settlement-stalled', 'queue-stuck'],
  },
  'rpc-away': {
    severity: 'critical',
    for: '2m',
    summary: 'The RPC does not respond, or responds with errors: nothing is settled.',
    hides: ['rpc-unwell', 'indexer-stalled', 'settlement-stalled'],
  },
  'rpc-of-other-chain': {
    severity: 'warning',
    for: '1m',
    summary: 'An RPC of RPC_URL is of another chain, and is left out.',
    hides: [],
  },
  'rpc-unwell': {
    severity: 'warning',
    for: '5m',
    summary:
      'An RPC of RPC_URL limits or refuses requests, does not respond, or is behind the others.',
    hides: [],
  },
  'relayer-unwell': {
    severity: 'warning',
    for: '5m',
    summary: 'Signed orders wait, or the account of the relayer is empty.',
    hides: [],
  },
  'rpcs-disagree': {
    severity: 'critical',
    for: '1m',
    summary: 'Fewer RPCs than RPC_QUORUM give the same answer: nothing is settled.',
    hides: ['settlement-stalled'],
  },
  'facts-mismatch': {
    severity: 'critical',
    for: '3m',
    summary: "The indexer's rows differ from the chain: nothing is settled from that block on.",
    hides: ['settlement-stalled'],
  },
  'indexer-stalled': {
    severity: 'critical',
    for: '3m',
    summary: 'The chain moves on and the indexer does not.',
    hides: ['settlement-stalled'],
  },
  'settlement-stalled': {
    severity: 'critical',
    for: '3m',
    summary: 'Blocks are indexed and the settled block does not move.',
    hides: [],
  },
  'campaign-stopped': {
    severity: 'warning',
    for: '1m',
    summary: 'Settlement stopped a campaign; the others continue.',
    hides: [],
  },
  discrepancies: {
    severity: 'warning',
    for: '1m',
    summary: 'The contract paid something else than the rules say.',
    hides: [],
  },
  'queue-away': {
    severity: 'critical',
    for: '2m',
    summary: 'The queue of settlement does not respond.',
    hides: ['settlement-stalled', 'queue-stuck'],
  },
  'queue-stuck': {
    severity: 'critical',
    for: '3m',
    summary: 'Jobs of settlement wait, and no worker takes them.',
    hides: ['settlement-stalled'],
  },
  'audit-failed': {
    severity: 'warning',
    for: '1m',
    summary: 'The last audit found rows that do not add up, or differ from the contract.',
    hides: [],
  },
};

/** Name of the alert of an alarm: `no-worker` → `TributaryNoWorker`. */
export function alertNameOf(alarm: AlarmName): string {
  const words = alarm.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `Tributary${words.join('')}`;
}

/** Labels of a scraped API or worker in tests. */
function target(job: 'api' | 'worker' | 'indexer', instance: string): string {
  return `deployment="main",job="tributary-${job}",instance="${instance}"`;
}
const [first, second] = [target('api', 'a'), target('api', 'b')];

function alertOfAlarm(alarm: AlarmName): Alert {
  const { hides, ...rest } = ofAlarm[alarm];
  const up = (one: string) => `tributary_up{${one},part="ledger"}`;
  const alarms = (one: string) => `tributary_alarms{${one},name="${alarm}"}`;
  return {
    ...rest,
    name: alertNameOf(alarm),
    expr: `tributary:alarms:max{name="${alarm}"} > 0`,
    runbook: alarm,
    hides: hides.map(alertNameOf),
    test: {
      // Two APIs with the same alarm: one alert.
      fires: {
        [up(first)]: '1x60',
        [alarms(first)]: '0 1x60',
        [up(second)]: '1x60',
        [alarms(second)]: '0 2x60',
      },
      // The second API cannot read the ledger, and still reports what it read last.
      quiet: {
        [up(first)]: '1x60',
        [alarms(first)]: '0x60',
        [up(second)]: '0x60',
        [alarms(second)]: '1x60',
      },
      at: '10m',
      labels: { deployment: 'main', name: alarm },
    },
  };
}

const allAlarms = alarmNames.map(alertNameOf);

/** Alerts about what no alarm covers: an API that is down cannot report that it is. */
const others: readonly Alert[] = [
  {
    name: 'TributaryNoApi',
    expr: 'max by (deployment, job) (up{job="tributary-api"}) == 0',
    for: '1m',
    severity: 'critical',
    summary: 'No API responds to Prometheus.',
    runbook: 'no-api',
    hides: [],
    test: {
      fires: { [`up{${first}}`]: '1 0x60', [`up{${second}}`]: '0x60' },
      quiet: { [`up{${first}}`]: '1x60', [`up{${second}}`]: '0x60' },
      at: '10m',
      labels: { deployment: 'main', job: 'tributary-api' },
    },
  },
  {
    name: 'TributaryAlarmsUnknown',
    expr: 'absent(tributary_alarms)',
    for: '5m',
    severity: 'critical',
    summary: 'Prometheus reads no alarms, so no alarm can become an alert.',
    runbook: 'alarms-unknown',
    hides: [],
    test: {
      fires: { [`up{${first}}`]: '1x60' },
      quiet: { [`tributary_alarms{${first},name="no-worker"}`]: '0x60' },
      at: '10m',
      labels: {},
    },
  },
  {
    name: 'TributaryLedgerUnreadable',
    expr: 'max by (deployment) (tributary_up{part="ledger"}) == 0',
    for: '1m',
    severity: 'critical',
    summary: 'No API can read the ledger: the database does not respond.',
    runbook: 'ledger-unreadable',
    hides: [
      ...allAlarms,
      'TributaryPartUnreachable',
      'TributaryErrors',
      'TributaryBackupOld',
      'TributaryReplicaUnused',
    ],
    test: {
      fires: {
        [`tributary_up{${first},part="ledger"}`]: '1 0x60',
        [`tributary_up{${second},part="ledger"}`]: '0x60',
      },
      quiet: {
        [`tributary_up{${first},part="ledger"}`]: '1x60',
        [`tributary_up{${second},part="ledger"}`]: '0x60',
      },
      at: '10m',
      labels: { deployment: 'main' },
    },
  },
  {
    name: 'TributaryPartUnreachable',
    expr: 'min by (deployment, job, instance, part) (tributary_up) == 0',
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.instance }} cannot reach its {{ $labels.part }}.',
    runbook: 'part-unreachable',
    hides: [],
    test: {
      fires: { [`tributary_up{${first},part="queue"}`]: '1 0x60' },
      quiet: { [`tributary_up{${first},part="queue"}`]: '1 0 0 1x60' },
      at: '10m',
      labels: { deployment: 'main', job: 'tributary-api', instance: 'a', part: 'queue' },
    },
  },
  {
    name: 'TributaryTargetDown',
    expr: 'min by (deployment, job, instance) (up{job=~"tributary-.+"}) == 0',
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.instance }} of {{ $labels.job }} does not respond to Prometheus.',
    runbook: 'target-down',
    hides: [],
    test: {
      fires: { [`up{${target('worker', 'w')}}`]: '1 0x60', [`up{${first}}`]: '1x60' },
      quiet: {
        [`up{${target('worker', 'w')}}`]: '1 0 0 1x60',
        'up{job="node",instance="x"}': '0x60',
      },
      at: '10m',
      labels: { deployment: 'main', job: 'tributary-worker', instance: 'w' },
    },
  },
  {
    name: 'TributaryIndexerSilent',
    // The metrics of `tributary indexer` are empty while Ponder does not respond.
    expr: 'max by (deployment, job, instance) (up{job="tributary-indexer"} == 1) unless on (deployment, job, instance) ponder_sync_block',
    for: '5m',
    severity: 'warning',
    summary: 'The indexer of {{ $labels.instance }} runs and reports no block.',
    runbook: 'indexer-silent',
    hides: [],
    test: {
      fires: { [`up{${target('indexer', 'i')}}`]: '1x60' },
      quiet: {
        [`up{${target('indexer', 'i')}}`]: '1x60',
        [`ponder_sync_block{${target('indexer', 'i')},chain="main"}`]: '7x60',
      },
      at: '10m',
      labels: { deployment: 'main', job: 'tributary-indexer', instance: 'i' },
    },
  },
  {
    name: 'TributaryRestarts',
    expr: 'changes(process_start_time_seconds{job=~"tributary-.+"}[30m]) > 3',
    for: '0m',
    severity: 'warning',
    summary:
      '{{ $labels.instance }} of {{ $labels.job }} has started more than three times in 30 minutes.',
    runbook: 'restarts',
    hides: [],
    test: {
      fires: { [`process_start_time_seconds{${first}}`]: '1 2 3 4 5x60' },
      quiet: { [`process_start_time_seconds{${first}}`]: '1 2 3x60' },
      at: '20m',
      labels: { deployment: 'main', job: 'tributary-api', instance: 'a' },
    },
  },
  {
    name: 'TributaryErrors',
    expr: 'tributary:http_errors:ratio5m > 0.05 and tributary:http_requests:rate5m > 0.1',
    for: '5m',
    severity: 'critical',
    summary: 'More than 5 % of the requests have been answered with a 5xx for 5 minutes.',
    runbook: 'errors',
    hides: [],
    test: {
      fires: {
        [`tributary_http_requests_total{${first},method="campaigns.get",status="200"}`]: '0+90x60',
        [`tributary_http_requests_total{${second},method="campaigns.get",status="503"}`]: '0+10x60',
      },
      quiet: {
        [`tributary_http_requests_total{${first},method="campaigns.get",status="200"}`]: '0+90x60',
        [`tributary_http_requests_total{${first},method="campaigns.get",status="503"}`]: '0+1x60',
        // A balancer that asks /ready while an API drains.
        [`tributary_http_requests_total{${second},method="other",status="503"}`]: '0+60x60',
      },
      at: '20m',
      labels: { deployment: 'main' },
    },
  },
  {
    name: 'TributarySlow',
    expr: 'tributary:http_request_seconds:p95_5m > 1 and tributary:http_requests:rate5m > 0.1',
    for: '10m',
    severity: 'warning',
    summary: 'One request in twenty has taken longer than a second for 10 minutes.',
    runbook: 'slow',
    hides: [],
    test: {
      fires: latencies(90),
      quiet: latencies(99),
      at: '30m',
      labels: { deployment: 'main' },
    },
  },
  {
    name: 'TributaryFallingBehind',
    expr: 'min by (deployment) (tributary_lag_blocks{stage="total"}) > 1000',
    for: '30m',
    severity: 'warning',
    summary: 'Settlement has been more than 1,000 blocks behind the chain for 30 minutes.',
    runbook: 'falling-behind',
    hides: [],
    test: {
      fires: { [`tributary_lag_blocks{${first},stage="total"}`]: '1001x60' },
      quiet: { [`tributary_lag_blocks{${first},stage="total"}`]: '1000x60' },
      at: '45m',
      labels: { deployment: 'main' },
    },
  },
  {
    name: 'TributaryOutboxLate',
    expr: 'max by (deployment, outbox) (tributary_outbox_late_seconds) > 900',
    for: '10m',
    severity: 'warning',
    summary: 'The oldest of the {{ $labels.outbox }} has been due for more than 15 minutes.',
    runbook: 'outbox-late',
    hides: [],
    test: {
      fires: {
        [`tributary_outbox_late_seconds{${target('worker', 'w')},outbox="mails"}`]: '901x60',
      },
      quiet: {
        [`tributary_outbox_late_seconds{${target('worker', 'w')},outbox="mails"}`]: '900x60',
      },
      at: '20m',
      labels: { deployment: 'main', outbox: 'mails' },
    },
  },
  {
    name: 'TributaryOutboxDisabled',
    // A receiver that dies is its owner's problem; many in an hour are ours.
    expr: 'tributary:outbox_disabled:max - tributary:outbox_disabled:max offset 1h > 5',
    for: '0m',
    severity: 'warning',
    summary: 'More than five receivers of {{ $labels.outbox }} were turned off within an hour.',
    runbook: 'outbox-disabled',
    hides: [],
    test: {
      fires: {
        [`tributary_outbox_disabled{${target('worker', 'w')},outbox="webhooks"}`]: '3x60 9x60',
      },
      quiet: {
        [`tributary_outbox_disabled{${target('worker', 'w')},outbox="webhooks"}`]: '3x60 8x60',
      },
      at: '90m',
      labels: { deployment: 'main', outbox: 'webhooks' },
    },
  },
  {
    name: 'TributaryMailServerAway',
    expr: 'sum by (deployment) (increase(tributary_outbox_attempts_total{outbox="mails",outcome="unavailable"}[15m])) > 3 unless sum by (deployment) (increase(tributary_outbox_attempts_total{outbox="mails",outcome="sent"}[15m])) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'The mail server has accepted nothing for 15 minutes.',
    runbook: 'mail-server-away',
    hides: ['TributaryOutboxLate'],
    test: {
      fires: { [mailAttempts('unavailable')]: '0+1x60', [mailAttempts('sent')]: '9x60' },
      quiet: { [mailAttempts('unavailable')]: '0+1x60', [mailAttempts('sent')]: '0+1x60' },
      at: '30m',
      labels: { deployment: 'main' },
    },
  },
  {
    name: 'TributaryEventLoopBlocked',
    expr: 'nodejs_eventloop_lag_p99_seconds{job=~"tributary-.+"} > 0.5',
    for: '10m',
    severity: 'warning',
    summary:
      'The event loop of {{ $labels.instance }} has been late by half a second for 10 minutes.',
    runbook: 'event-loop-blocked',
    hides: [],
    test: {
      fires: { [`nodejs_eventloop_lag_p99_seconds{${first}}`]: '0.6x60' },
      quiet: { [`nodejs_eventloop_lag_p99_seconds{${first}}`]: '0.4x60' },
      at: '20m',
      labels: { deployment: 'main', job: 'tributary-api', instance: 'a' },
    },
  },
  {
    name: 'TributaryMemory',
    expr: 'process_resident_memory_bytes{job=~"tributary-.+"} > 1.5 * 1024 * 1024 * 1024',
    for: '15m',
    severity: 'warning',
    summary: '{{ $labels.instance }} of {{ $labels.job }} uses more than 1.5 GiB of memory.',
    runbook: 'memory',
    hides: [],
    test: {
      fires: { [`process_resident_memory_bytes{${first}}`]: '1700000000x60' },
      quiet: { [`process_resident_memory_bytes{${first}}`]: '1600000000x60' },
      at: '30m',
      labels: { deployment: 'main', job: 'tributary-api', instance: 'a' },
    },
  },
  {
    name: 'TributaryFileDescriptors',
    expr: 'process_open_fds{job=~"tributary-.+"} / process_max_fds{job=~"tributary-.+"} > 0.8',
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.instance }} of {{ $labels.job }} has 80 % of its file descriptors open.',
    runbook: 'file-descriptors',
    hides: [],
    test: {
      fires: { [`process_open_fds{${first}}`]: '900x60', [`process_max_fds{${first}}`]: '1024x60' },
      quiet: { [`process_open_fds{${first}}`]: '800x60', [`process_max_fds{${first}}`]: '1024x60' },
      at: '20m',
      labels: { deployment: 'main', job: 'tributary-api', instance: 'a' },
    },
  },
  {
    name: 'TributaryReplicaUnused',
    expr: 'min by (deployment, replica) (tributary_replica_in_use) == 0',
    for: '5m',
    severity: 'warning',
    summary:
      'At least one API does not use replica {{ $labels.replica }}; the primary answers its reads.',
    runbook: 'replica-unused',
    hides: [],
    test: {
      fires: {
        [`tributary_replica_in_use{${first},replica="2"}`]: '1 0x60',
        [`tributary_replica_in_use{${second},replica="2"}`]: '1x60',
      },
      quiet: { [`tributary_replica_in_use{${first},replica="2"}`]: '1 0 0 1x60' },
      at: '10m',
      labels: { deployment: 'main', replica: '2' },
    },
  },
  {
    name: 'TributaryGatewayDeploymentDown',
    expr: 'min by (deployment) (tributary_gateway_deployment_up) == 0',
    for: '1m',
    severity: 'critical',
    summary: 'A gateway does not serve {{ $labels.deployment }}: it does not answer as itself.',
    runbook: 'gateway-deployment-down',
    hides: [],
    test: {
      fires: {
        [gatewayUp('a', '8453/0x5f')]: '1 0x60',
        [gatewayUp('b', '8453/0x5f')]: '1x60',
        [gatewayUp('a', '10/0x5f')]: '1x60',
      },
      quiet: { [gatewayUp('a', '8453/0x5f')]: '1 1 1 1 1 1 1 1 1 1 0x60' },
      at: '10m',
      labels: { deployment: '8453/0x5f' },
    },
  },
  {
    name: 'TributaryBackupOld',
    // 0 if `tributary backup` never ran: see TributaryBackupMissing.
    expr: 'time() - (max by (deployment) (tributary_backup_timestamp_seconds) > 0) > 26 * 3600',
    for: '5m',
    severity: 'warning',
    summary: 'The newest backup is older than 26 hours.',
    runbook: 'backup-old',
    hides: [],
    test: {
      fires: { [`tributary_backup_timestamp_seconds{${first}}`]: '60x1700' },
      quiet: { [`tributary_backup_timestamp_seconds{${first}}`]: '7200x1700' },
      at: '1620m',
      labels: { deployment: 'main' },
    },
  },
  {
    name: 'TributaryBackupMissing',
    expr: 'max by (deployment) (tributary_backup_timestamp_seconds) == 0',
    for: '26h',
    severity: 'warning',
    summary: 'This deployment has never been backed up by tributary backup.',
    runbook: 'backup-missing',
    hides: [],
    test: {
      fires: { [`tributary_backup_timestamp_seconds{${first}}`]: '0x1700' },
      quiet: { [`tributary_backup_timestamp_seconds{${first}}`]: '_x400 0x1300' },
      at: '1620m',
      labels: { deployment: 'main' },
    },
  },
  {
    name: 'TributaryLogUnarchived',
    expr: 'max by (deployment) (tributary_log_archive_failed) == 1',
    for: '10m',
    severity: 'warning',
    summary: 'PostgreSQL has failed to archive its log for 10 minutes, and keeps it on its disk.',
    runbook: 'log-unarchived',
    hides: [],
    test: {
      fires: { [`tributary_log_archive_failed{${first}}`]: '0 1x60' },
      quiet: { [`tributary_log_archive_failed{${first}}`]: '0 1x5 0x60' },
      at: '20m',
      labels: { deployment: 'main' },
    },
  },
];

/** All alerts: one of each alarm, and the others. */
export const alerts: readonly Alert[] = [...alarmNames.map(alertOfAlarm), ...others];

/** Histogram of a hundred requests a minute, of which `fast` took at most half a second. */
function latencies(fast: number): Series {
  const bucket = (le: string) =>
    `tributary_http_request_seconds_bucket{${first},method="campaigns.get",le="${le}"}`;
  return {
    [bucket('0.5')]: `0+${fast}x60`,
    [bucket('2.5')]: '0+100x60',
    [bucket('+Inf')]: '0+100x60',
    [`tributary_http_requests_total{${first},method="campaigns.get",status="200"}`]: '0+100x60',
  };
}

/** Series of a gateway, whose target has no label `deployment`: the metric has its own. */
function gatewayUp(instance: string, deployment: string): string {
  return `tributary_gateway_deployment_up{job="tributary-gateway",instance="${instance}",deployment="${deployment}"}`;
}

function mailAttempts(outcome: string): string {
  return `tributary_outbox_attempts_total{${target('worker', 'w')},outbox="mails",outcome="${outcome}"}`;
}
