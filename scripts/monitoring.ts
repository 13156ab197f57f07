/**
 * Writes the files of `deploy/` that Prometheus, its operator, Alertmanager and Grafana read, from the list of alarms and the
 * registry of metrics (docs/operate/watch.md). With `--check` it only compares, and exits 1 if a file differs.
 * Both fail if a metric is in no panel, or an alert has no heading in docs/operate/alarms.md.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { headingsOf } from './headings.ts';
import { alerts, recordings } from './monitoring/alerts.ts';
import { dashboardFile, dashboards } from './monitoring/dashboards.ts';
import { serviceMetrics } from './monitoring/metrics.ts';
import { alertmanagerFile, alertsTable, rulesFile, ruleTemplate } from './monitoring/rules.ts';

const root = join(import.meta.dirname, '..');

/** Page with the table of alerts. */
const PAGE = 'docs/operate/watch.md';

async function main(check: boolean): Promise<void> {
  const findings = [...missingPanels(), ...(await missingHeadings())];
  for (const [path, content] of await generate()) {
    const file = join(root, path);
    if ((await readFile(file, 'utf8').catch(() => undefined)) === content) continue;
    if (check) findings.push(`${path} is not up to date: run \`npm run monitoring\`.`);
    else {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      console.log(`Wrote ${path}.`);
    }
  }
  for (const finding of findings) console.error(finding);
  process.exitCode = findings.length > 0 ? 1 : 0;
}

/** Text of every generated file, by its path from the root. */
async function generate(): Promise<ReadonlyMap<string, string>> {
  const page = await readFile(join(root, PAGE), 'utf8');
  const table = /(<!-- alerts: .* -->\n)[\s\S]*(<!-- end of alerts -->)/;
  return new Map([
    [PAGE, page.replace(table, (_, start, end) => `${start}${alertsTable()}${end}`)],
    ['deploy/prometheus/rules.yaml', rulesFile()],
    ['deploy/helm/tributary/templates/rules.yaml', ruleTemplate()],
    ['deploy/alertmanager/alertmanager.yaml', alertmanagerFile()],
    ...dashboards.map((one): [string, string] => [
      `deploy/grafana/${one.uid}.json`,
      dashboardFile(one),
    ]),
  ]);
}

/** Metrics that no panel reads, and names that panels and rules read although no process has them. */
function missingPanels(): string[] {
  const metrics = serviceMetrics();
  const known = new Set(metrics.flatMap(({ series }) => series));
  const stored = recordings.map(({ expr }) => expr);
  const shown = namesIn([
    ...dashboards.flatMap(({ panels }) =>
      panels.flatMap(({ queries }) => queries.map(({ expr }) => expr)),
    ),
    // A panel shows the alarms by the rule that combines those of all APIs.
    ...stored,
  ]);
  const read = namesIn([...shown, ...alerts.map(({ expr }) => expr)]);
  return [
    ...metrics
      .filter(({ series }) => !series.some((name) => shown.has(name)))
      .map(({ name }) => `${name} is in no panel of scripts/monitoring/dashboards.ts.`),
    ...[...read]
      .filter((name) => !known.has(name))
      .map((name) => `No process has the metric ${name}, which a panel or rule reads.`),
  ];
}

/** Names of our metrics in PromQL. */
function namesIn(expressions: readonly string[]): ReadonlySet<string> {
  return new Set(
    expressions.flatMap((expr) => expr.match(/\b(tributary|process|nodejs)_[a-z0-9_]+/g) ?? []),
  );
}

async function missingHeadings(): Promise<string[]> {
  const headings = headingsOf(await readFile(join(root, 'docs/operate/alarms.md'), 'utf8'));
  return alerts
    .filter(({ runbook }) => !headings.has(runbook))
    .map(({ name, runbook }) => `${name}: docs/operate/alarms.md has no heading #${runbook}.`);
}

await main(process.argv.includes('--check'));
