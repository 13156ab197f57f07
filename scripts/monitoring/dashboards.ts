import { jsonLines } from '../json-lines.ts';

/** Kind of a panel: a graph over time, a number, or a table of the newest values. */
type PanelType = 'timeseries' | 'stat' | 'table';

/** Query of a panel, and the label of each of its lines. */
interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** Panel of a dashboard. */
export interface Panel {
  readonly title: string;
  readonly type: PanelType;
  /** Unit of Grafana, such as `s`, `bytes`, `reqps`, `percentunit`, `short`. */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** True if it has data only after something rare, such as a mail or a backup, with replicas or with a gateway. */
  readonly mayBeEmpty?: boolean;
}

/** Dashboard: rows of at most three panels. */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Labels of the chosen deployments. `.*` also matches series without the label. */
const D = 'deployment=~"$deployment"';
/** Labels of the chosen processes. */
const P = `${D},job=~"tributary-.*"`;
const RATE = '[$__rate_interval]';

function graph(title: string, unit: string, ...queries: readonly (readonly [string, string])[]) {
  return panel('timeseries', title, unit, queries);
}

function stat(title: string, unit: string, ...queries: readonly (readonly [string, string])[]) {
  return panel('stat', title, unit, queries);
}

function table(title: string, ...queries: readonly (readonly [string, string])[]) {
  return panel('table', title, 'short', queries);
}

function panel(
  type: PanelType,
  title: string,
  unit: string,
  queries: readonly (readonly [string, string])[],
): Panel {
  return { type, title, unit, queries: queries.map(([expr, legend]) => ({ expr, legend })) };
}

function rare(one: Panel): Panel {
  return { ...one, mayBeEmpty: true };
}

const PROCESS = '{{job}} {{instance}}';

/** All dashboards. Each metric of the service is in one of them: `check:monitoring` verifies it. */
export const dashboards: readonly Dashboard[] = [
  {
    uid: 'tributary-overview',
    title: 'Tributary: overview',
    panels: [
      rare(table('Open alarms', [`tributary:alarms:max{${D}} > 0`, '{{name}}'])),
      rare(
        table('Alerts', [`ALERTS{alertname=~"Tributary.+",${D}}`, '{{alertname}} {{alertstate}}']),
      ),
      stat('Parts that respond', 'bool_yes_no', [
        `min by (deployment, part) (tributary_up{${D}})`,
        '{{part}}',
      ]),
      graph('Alarms by name', 'short', [`tributary:alarms:max{${D}}`, '{{name}}']),
      graph('Heads', 'locale', [`max by (deployment, head) (tributary_block{${D}})`, '{{head}}']),
      graph('Lag in blocks', 'short', [
        `min by (deployment, stage) (tributary_lag_blocks{${D}})`,
        '{{stage}}',
      ]),
      stat('Age of the settled block', 's', [
        `time() - max by (deployment) (tributary_settled_timestamp_seconds{${D}})`,
        '{{deployment}}',
      ]),
      graph('RPCs that respond as they should', 'short', [
        `min by (deployment, part, rpc) (tributary_rpc_well{${D}})`,
        '{{part}} {{rpc}}',
      ]),
      graph('Disagreements of RPCs', 'short', [
        `max by (deployment, part, rpc) (tributary_rpc_disagreements{${D}})`,
        '{{part}} {{rpc}}',
      ]),
      rare(
        graph('Blocks of one eth_getLogs, after an RPC refused more', 'short', [
          `min by (deployment, part, rpc) (tributary_rpc_log_blocks{${D}})`,
          '{{part}} {{rpc}}',
        ]),
      ),
      graph('Ledger', 'locale', [`max by (deployment, what) (tributary_ledger{${D}})`, '{{what}}']),
      stat('Discrepancies', 'short', [
        `max by (deployment) (tributary_discrepancies{${D}})`,
        '{{deployment}}',
      ]),
      stat('Stopped campaigns', 'short', [
        `max by (deployment) (tributary_stopped_campaigns{${D}})`,
        '{{deployment}}',
      ]),
      rare(
        stat('Age of the newest backup', 's', [
          `time() - (max by (deployment) (tributary_backup_timestamp_seconds{${D}}) > 0)`,
          '{{deployment}}',
        ]),
      ),
      stat('PostgreSQL fails to archive its log', 'short', [
        `max by (deployment) (tributary_log_archive_failed{${D}})`,
        '{{deployment}}',
      ]),
      graph('Processes that respond to Prometheus', 'short', [
        `sum by (deployment, job) (up{${P}})`,
        '{{job}}',
      ]),
    ],
  },
  {
    uid: 'tributary-api',
    title: 'Tributary: API',
    panels: [
      graph('Requests by method', 'reqps', [
        `sum by (method) (rate(tributary_http_requests_total{${D}}${RATE}))`,
        '{{method}}',
      ]),
      graph('Requests by status', 'reqps', [
        `sum by (status) (rate(tributary_http_requests_total{${D}}${RATE}))`,
        '{{status}}',
      ]),
      rare(
        graph('Share of 5xx, without pages and probes', 'percentunit', [
          `tributary:http_errors:ratio5m{${D}}`,
          '{{deployment}}',
        ]),
      ),
      graph('95 % of requests are faster, by method', 's', [
        `histogram_quantile(0.95, sum by (method, le) (rate(tributary_http_request_seconds_bucket{${D}}${RATE})))`,
        '{{method}}',
      ]),
      graph(
        'Time to answer, all methods',
        's',
        ...[0.5, 0.95, 0.99].map(
          (share) =>
            [
              `histogram_quantile(${share}, sum by (le) (rate(tributary_http_request_seconds_bucket{${D},method!="other"}${RATE})))`,
              `${share * 100} %`,
            ] as const,
        ),
      ),
      graph('Busy time by method', 'percentunit', [
        `sum by (method) (rate(tributary_http_request_seconds_sum{${D}}${RATE}))`,
        '{{method}}',
      ]),
      graph('Cached responses', 'reqps', [
        `sum by (origin) (rate(tributary_cacheable_responses_total{${D}}${RATE}))`,
        '{{origin}}',
      ]),
      graph('Open streams', 'short', [`tributary_stream_readers{${D}}`, '{{instance}}']),
      graph('Readers cut because they were slow', 'short', [
        `increase(tributary_stream_cut_total{${D}}${RATE})`,
        '{{instance}}',
      ]),
      rare(
        graph('Reads by replica', 'reqps', [
          `sum by (by) (rate(tributary_replica_reads_total{${D}}${RATE}))`,
          '{{by}}',
        ]),
      ),
      rare(
        graph('APIs that use a replica', 'short', [
          `sum by (deployment, replica) (tributary_replica_in_use{${D}})`,
          '{{replica}}',
        ]),
      ),
      rare(
        graph('Settled blocks that a replica is behind', 'short', [
          `max by (deployment, replica) (tributary_replica_lag_blocks{${D}})`,
          '{{replica}}',
        ]),
      ),
    ],
  },
  {
    uid: 'tributary-settlement',
    title: 'Tributary: settlement and queue',
    panels: [
      graph('Jobs of the queue', 'short', [
        `max by (deployment, state) (tributary_queue_jobs{${D}})`,
        '{{state}}',
      ]),
      graph('Events folded', 'ops', [
        `sum by (instance) (rate(tributary_folded_events_total{${D}}${RATE}))`,
        '{{instance}}',
      ]),
      graph('Events rolled back', 'ops', [
        `sum by (instance) (rate(tributary_rolled_back_events_total{${D}}${RATE}))`,
        '{{instance}}',
      ]),
      graph('Batches by outcome', 'ops', [
        `sum by (outcome) (rate(tributary_batch_seconds_count{${D}}${RATE}))`,
        '{{outcome}}',
      ]),
      graph('95 % of batches are faster', 's', [
        `histogram_quantile(0.95, sum by (outcome, le) (rate(tributary_batch_seconds_bucket{${D}}${RATE})))`,
        '{{outcome}}',
      ]),
      graph('Discrepancies that batches found', 'short', [
        `increase(tributary_batch_discrepancies_total{${D}}${RATE})`,
        '{{instance}}',
      ]),
      rare(
        graph('Lost locks of jobs', 'short', [
          `increase(tributary_lost_job_locks_total{${D}}${RATE})`,
          '{{instance}}',
        ]),
      ),
      graph('Lag in blocks', 'short', [`min by (stage) (tributary_lag_blocks{${D}})`, '{{stage}}']),
      graph('Block of the indexer', 'locale', [`ponder_sync_block{${D}}`, '{{instance}}']),
      rare(
        graph('RPC errors of the indexer', 'ops', [
          `sum by (method) (rate(ponder_rpc_request_error_total{${D}}${RATE}))`,
          '{{method}}',
        ]),
      ),
    ],
  },
  {
    uid: 'tributary-outboxes',
    title: 'Tributary: webhooks, mails and orders',
    panels: [
      graph('Waiting', 'short', [
        `max by (deployment, outbox) (tributary_outbox_queued{${D}})`,
        '{{outbox}}',
      ]),
      graph('How late the oldest is', 's', [
        `max by (deployment, outbox) (tributary_outbox_late_seconds{${D}})`,
        '{{outbox}}',
      ]),
      graph('Receivers turned off or undeliverable', 'short', [
        `tributary:outbox_disabled:max{${D}}`,
        '{{outbox}}',
      ]),
      rare(
        graph('Attempts by outcome', 'ops', [
          `sum by (outbox, outcome) (rate(tributary_outbox_attempts_total{${D}}${RATE}))`,
          '{{outbox}} {{outcome}}',
        ]),
      ),
      graph('Receivers by worker', 'short', [
        `tributary_outbox_disabled{${D}}`,
        '{{instance}} {{outbox}}',
      ]),
      rare(
        graph('Signed orders', 'short', [
          `max by (deployment, state) (tributary_relayer_orders{${D}})`,
          '{{state}}',
        ]),
      ),
      rare(
        graph('Transactions that the relayer can pay for', 'short', [
          `max by (deployment) (tributary_relayer_transactions_left{${D}})`,
          '{{deployment}}',
        ]),
      ),
    ],
  },
  {
    // A gateway belongs to no deployment, so the chosen ones do not matter here.
    uid: 'tributary-gateway',
    title: 'Tributary: gateway',
    panels: [
      rare(
        stat('Deployments that are up', 'bool_yes_no', [
          'min by (deployment) (tributary_gateway_deployment_up)',
          '{{deployment}}',
        ]),
      ),
      rare(
        graph('Responses that lack a deployment', 'reqps', [
          `sum by (deployment, code) (rate(tributary_gateway_missing_total${RATE}))`,
          '{{deployment}} {{code}}',
        ]),
      ),
      rare(
        graph('Requests by method and status', 'reqps', [
          `sum by (method, status) (rate(tributary_gateway_requests_total${RATE}))`,
          '{{method}} {{status}}',
        ]),
      ),
      rare(
        graph('95 % of requests are faster, by method', 's', [
          `histogram_quantile(0.95, sum by (method, le) (rate(tributary_gateway_request_seconds_bucket${RATE})))`,
          '{{method}}',
        ]),
      ),
    ],
  },
  {
    uid: 'tributary-runtime',
    title: 'Tributary: processes',
    panels: [
      graph('Processor cores', 'short', [`rate(process_cpu_seconds_total{${P}}${RATE})`, PROCESS]),
      graph(
        'Processor cores: user and system',
        'short',
        [`rate(process_cpu_user_seconds_total{${P}}${RATE})`, `${PROCESS} user`],
        [`rate(process_cpu_system_seconds_total{${P}}${RATE})`, `${PROCESS} system`],
      ),
      stat('Running for', 's', [`time() - process_start_time_seconds{${P}}`, PROCESS]),
      graph(
        'Memory',
        'bytes',
        [`process_resident_memory_bytes{${P}}`, `${PROCESS} resident`],
        [`nodejs_external_memory_bytes{${P}}`, `${PROCESS} external`],
      ),
      graph(
        'Heap of Node',
        'bytes',
        [`nodejs_heap_size_used_bytes{${P}}`, `${PROCESS} used`],
        [`nodejs_heap_size_total_bytes{${P}}`, `${PROCESS} total`],
      ),
      graph(
        'Address space',
        'bytes',
        [`process_virtual_memory_bytes{${P}}`, `${PROCESS} virtual`],
        [`process_heap_bytes{${P}}`, `${PROCESS} data`],
      ),
      graph(
        'Heap spaces',
        'bytes',
        [
          `sum by (job, instance, space) (nodejs_heap_space_size_used_bytes{${P}})`,
          `${PROCESS} {{space}} used`,
        ],
        [
          `sum by (job, instance, space) (nodejs_heap_space_size_total_bytes{${P}})`,
          `${PROCESS} {{space}} total`,
        ],
        [
          `sum by (job, instance, space) (nodejs_heap_space_size_available_bytes{${P}})`,
          `${PROCESS} {{space}} available`,
        ],
      ),
      graph('Time for garbage collection', 'percentunit', [
        `sum by (job, instance, kind) (rate(nodejs_gc_duration_seconds_sum{${P}}${RATE}))`,
        `${PROCESS} {{kind}}`,
      ]),
      graph(
        'Delay of the event loop',
        's',
        [`nodejs_eventloop_lag_p99_seconds{${P}}`, `${PROCESS} 99 %`],
        [`nodejs_eventloop_lag_p90_seconds{${P}}`, `${PROCESS} 90 %`],
        [`nodejs_eventloop_lag_p50_seconds{${P}}`, `${PROCESS} 50 %`],
      ),
      graph(
        'Delay of the event loop: range',
        's',
        [`nodejs_eventloop_lag_seconds{${P}}`, `${PROCESS} now`],
        [`nodejs_eventloop_lag_min_seconds{${P}}`, `${PROCESS} min`],
        [`nodejs_eventloop_lag_max_seconds{${P}}`, `${PROCESS} max`],
        [`nodejs_eventloop_lag_mean_seconds{${P}}`, `${PROCESS} mean`],
        [`nodejs_eventloop_lag_stddev_seconds{${P}}`, `${PROCESS} deviation`],
      ),
      graph(
        'File descriptors',
        'short',
        [`process_open_fds{${P}}`, `${PROCESS} open`],
        [`process_max_fds{${P}}`, `${PROCESS} limit`],
      ),
      graph(
        'Active resources, handles and requests',
        'short',
        [`nodejs_active_resources_total{${P}}`, `${PROCESS} resources`],
        [`nodejs_active_handles_total{${P}}`, `${PROCESS} handles`],
        [`nodejs_active_requests_total{${P}}`, `${PROCESS} requests`],
      ),
      graph(
        'Active resources and handles by type',
        'short',
        [`nodejs_active_resources{${P}}`, `${PROCESS} {{type}}`],
        [`nodejs_active_handles{${P}}`, `${PROCESS} {{type}}`],
      ),
      rare(
        graph('Active requests of libuv by type', 'short', [
          `nodejs_active_requests{${P}}`,
          `${PROCESS} {{type}}`,
        ]),
      ),
      table('Versions of Tributary', [
        `count by (job, instance, version) (tributary_build_info{${P}})`,
        `${PROCESS} {{version}}`,
      ]),
      table('Versions of Node', [
        `count by (job, instance, version) (nodejs_version_info{${P}})`,
        `${PROCESS} {{version}}`,
      ]),
    ],
  },
];

// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana.
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' } as const;

/** Width of Grafana's grid, and the size of a panel on it. */
const [GRID_WIDTH, PANEL_WIDTH, PANEL_HEIGHT] = [24, 8, 8];

/** JSON of a dashboard, as Grafana imports it. */
export function dashboardFile({ uid, title, panels }: Dashboard): string {
  const perRow = GRID_WIDTH / PANEL_WIDTH;
  const json = {
    uid,
    title,
    tags: ['tributary'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    timezone: 'browser',
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    annotations: { list: [] },
    links: [
      {
        type: 'dashboards',
        title: 'Tributary',
        icon: 'external link',
        tooltip: '',
        url: '',
        tags: ['tributary'],
        asDropdown: true,
        targetBlank: false,
        includeVars: true,
        keepTime: true,
      },
    ],
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        {
          name: 'deployment',
          label: 'Deployment',
          type: 'query',
          datasource: DATASOURCE,
          query: 'label_values(tributary_up, deployment)',
          refresh: 2,
          sort: 1,
          multi: true,
          includeAll: true,
          allValue: '.*',
          current: { selected: true, text: ['All'], value: ['$__all'] },
        },
      ],
    },
    panels: panels.map((one, i) => ({
      id: i + 1,
      type: one.type,
      title: one.title,
      datasource: DATASOURCE,
      gridPos: {
        x: (i % perRow) * PANEL_WIDTH,
        y: Math.floor(i / perRow) * PANEL_HEIGHT,
        w: PANEL_WIDTH,
        h: PANEL_HEIGHT,
      },
      fieldConfig: { defaults: { unit: one.unit }, overrides: [] },
      options: {},
      targets: one.queries.map(({ expr, legend }, at) => ({
        refId: String.fromCharCode(65 + at),
        datasource: DATASOURCE,
        expr,
        legendFormat: legend,
        ...(one.type === 'timeseries' ? { range: true } : { instant: true }),
        ...(one.type === 'table' ? { format: 'table' } : {}),
      })),
    })),
  };
  return `${jsonLines(json, 2)}\n`;
}
