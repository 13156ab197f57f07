import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { projectRoot, spawnChild } from '../../engine/cli/stack/processes.ts';
import { waitFor } from './wait-for.ts';

/** True if every program of Debian's `prometheus` and `prometheus-alertmanager` is on the PATH. */
export const monitoringAvailable = [
  'prometheus',
  'promtool',
  'prometheus-alertmanager',
  'amtool',
].every((program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0);

if (!monitoringAvailable) {
  console.warn(
    'No prometheus, promtool, prometheus-alertmanager and amtool on the PATH: their tests are skipped.',
  );
}

/** Path of a shipped file. */
export function shipped(file: string): string {
  return join(projectRoot, 'deploy', file);
}

/** Alert as Alertmanager sends it to a webhook. */
export interface ReceivedAlert {
  readonly receiver: string;
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Targets of each job, as host and port. */
export type Targets = Readonly<Record<'api' | 'worker' | 'indexer', string>>;

/** Prometheus and Alertmanager that run with the shipped files, and a receiver of what they send. */
export interface Monitoring {
  /** Alerts that arrived, in order. */
  readonly received: ReceivedAlert[];
  /** Values of a PromQL expression. @throws {Error} with Prometheus' message if it is wrong. */
  query(
    expr: string,
  ): Promise<readonly { metric: Record<string, string>; value: [number, string] }[]>;
  /** Names of the alerts that Alertmanager holds back because another one is their cause. */
  inhibited(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/**
 * Starts both with the files of `deploy/`. Only times, targets, ports and the receiver's URL are changed: what is
 * scraped every 15 s there is scraped every second, and each alert has to hold for one second.
 */
export async function startMonitoring(
  dir: string,
  targets: Targets,
  token: string,
): Promise<Monitoring> {
  await mkdir(dir, { recursive: true });
  const [prometheusPort, alertmanagerPort] = [await freePort(), await freePort()];
  const received: ReceivedAlert[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { alerts: Omit<ReceivedAlert, 'receiver'>[] };
    received.push(...body.alerts.map((one) => ({ ...one, receiver: request.url ?? '' })));
    response.writeHead(200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');

  const tokenFile = join(dir, 'token');
  await writeFile(tokenFile, token);
  await change('prometheus/rules.yaml', join(dir, 'rules.yaml'), [[/for: \d+[mh]/g, 'for: 1s']]);
  await change('prometheus/prometheus.yaml', join(dir, 'prometheus.yaml'), [
    [/_interval: 15s/g, '_interval: 1s'],
    [/\/etc\/prometheus\/tributary-metrics-token/g, tokenFile],
    [/127\.0\.0\.1:9093/g, `127.0.0.1:${alertmanagerPort}`],
    [/\["127\.0\.0\.1:14001", "127\.0\.0\.1:14002"\]/g, `["${targets.api}"]`],
    [/\["127\.0\.0\.1:9461", "127\.0\.0\.1:9462"\]/g, `["${targets.worker}"]`],
    [/127\.0\.0\.1:9460/g, targets.indexer],
  ]);
  await change('alertmanager/alertmanager.yaml', join(dir, 'alertmanager.yaml'), [
    [/group_wait: 30s/g, 'group_wait: 1s'],
    [/group_interval: 5m/g, 'group_interval: 1s'],
    [/127\.0\.0\.1:9099/g, `127.0.0.1:${address.port}`],
  ]);
  const children = [
    spawnChild({
      name: 'prometheus',
      command: 'prometheus',
      args: [
        `--config.file=${join(dir, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(dir, 'data')}`,
        `--web.listen-address=127.0.0.1:${prometheusPort}`,
      ],
      logFile: join(dir, 'prometheus.log'),
    }),
    spawnChild({
      name: 'alertmanager',
      command: 'prometheus-alertmanager',
      args: [
        `--config.file=${join(dir, 'alertmanager.yaml')}`,
        `--storage.path=${join(dir, 'alertmanager')}`,
        `--web.listen-address=127.0.0.1:${alertmanagerPort}`,
        '--cluster.listen-address=',
      ],
      logFile: join(dir, 'alertmanager.log'),
    }),
  ];
  const isReady = async (port: number) => (await fetch(`http://127.0.0.1:${port}/-/ready`)).ok;
  await Promise.all(
    [prometheusPort, alertmanagerPort].map((port) =>
      waitFor(() => isReady(port), { what: `port ${port} to be ready`, timeout: 30_000 }),
    ),
  );
  return {
    received,
    query: async (expr) => {
      const response = await fetch(`http://127.0.0.1:${prometheusPort}/api/v1/query`, {
        method: 'POST',
        body: new URLSearchParams({ query: expr }),
      });
      const body = (await response.json()) as {
        status: string;
        error?: string;
        data: { result: { metric: Record<string, string>; value: [number, string] }[] };
      };
      if (body.status !== 'success') throw new Error(`${expr}: ${body.error}`);
      return body.data.result;
    },
    inhibited: async () => {
      const url = `http://127.0.0.1:${alertmanagerPort}/api/v2/alerts?active=false&inhibited=true`;
      const alerts = (await (await fetch(url)).json()) as {
        labels: { alertname: string };
        status: { inhibitedBy: string[] };
      }[];
      return alerts
        .filter(({ status }) => status.inhibitedBy.length > 0)
        .map(({ labels }) => labels.alertname);
    },
    stop: async () => {
      await Promise.all(children.map((child) => child.stop()));
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Copies a shipped file with changes. @throws {Error} if one of them changes nothing. */
async function change(
  file: string,
  to: string,
  changes: readonly (readonly [RegExp, string])[],
): Promise<void> {
  await cp(shipped(file), to);
  let text = await readFile(to, 'utf8');
  for (const [from, instead] of changes) {
    if (text.search(from) < 0) throw new Error(`${file} has nothing like ${from}.`);
    text = text.replace(from, instead);
  }
  await writeFile(to, text);
}
