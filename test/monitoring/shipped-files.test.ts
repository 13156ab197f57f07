import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alarmNames } from '../../engine/http/operations/watchdogs.ts';
import { alerts } from '../../scripts/monitoring/alerts.ts';
import { monitoringAvailable, shipped } from '../support/monitoring.ts';
import { ruleCases } from './rule-cases.ts';

const run = promisify(execFile);

describe.skipIf(!monitoringAvailable)('the files for Prometheus and Alertmanager', () => {
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-monitoring-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  /** Runs the cases of the alerts over rules. */
  async function testRules(rules: string, tested = alerts) {
    await writeFile(join(dir, 'rules.yaml'), rules);
    await writeFile(join(dir, 'rules.test.yaml'), ruleCases('rules.yaml', tested));
    return await run('promtool', ['test', 'rules', join(dir, 'rules.test.yaml')]);
  }

  it('pass the checks of promtool and amtool', async () => {
    await writeFile(join(dir, 'token'), 'a token');
    await writeFile(join(dir, 'rules.yaml'), await readFile(shipped('prometheus/rules.yaml')));
    const config = (await readFile(shipped('prometheus/prometheus.yaml'), 'utf8')).replaceAll(
      '/etc/prometheus/tributary-metrics-token',
      join(dir, 'token'),
    );
    await writeFile(join(dir, 'prometheus.yaml'), config);
    const checked = await run('promtool', ['check', 'config', join(dir, 'prometheus.yaml')]);
    expect(checked.stdout).toMatch(/SUCCESS: \d+ rules found/);
    const alertmanager = await run('amtool', [
      'check-config',
      shipped('alertmanager/alertmanager.yaml'),
    ]);
    expect(alertmanager.stdout).toContain('SUCCESS');
  });

  it('contain rules that fire and do not fire as their cases say', async () => {
    const { stdout } = await testRules(await readFile(shipped('prometheus/rules.yaml'), 'utf8'));
    expect(stdout).toContain('SUCCESS');
  });

  it('contain cases that fail if a rule is wrong', async () => {
    const rules = await readFile(shipped('prometheus/rules.yaml'), 'utf8');
    const tested = alerts.filter(({ expr }) => expr.endsWith('> 900'));
    await testRules(rules, tested);
    await expect(testRules(rules.replace('> 900', '> 901'), tested)).rejects.toThrow('FAILED');
  });

  it('send critical alerts to the pager, and others to the tickets', async () => {
    const routeOf = async (severity: string) => {
      const file = shipped('alertmanager/alertmanager.yaml');
      const args = ['config', 'routes', 'test', `--config.file=${file}`, `severity=${severity}`];
      return (await run('amtool', args)).stdout.trim();
    };
    expect(await routeOf('critical')).toBe('pager');
    expect(await routeOf('warning')).toBe('tickets');
  });
});

describe('the shipped rules and dashboards', () => {
  it('contain an alert for each alarm', async () => {
    const rules = await readFile(shipped('prometheus/rules.yaml'), 'utf8');
    for (const name of alarmNames) {
      expect(rules).toContain(`tributary:alarms:max{name=\\"${name}\\"} > 0`);
      expect(rules).toContain(`docs/operate/alarms.md#${name}"`);
    }
  });

  it('contain unique ids and panels that do not overlap', async () => {
    const files = await readdir(shipped('grafana'));
    const boards = await Promise.all(
      files.map(async (file) => JSON.parse(await readFile(shipped(`grafana/${file}`), 'utf8'))),
    );
    expect(new Set(boards.map(({ uid }) => uid)).size).toBe(files.length);
    for (const { uid, panels } of boards) {
      expect(files).toContain(`${uid}.json`);
      const cells = panels.map(
        ({ gridPos: { x, y } }: { gridPos: { x: number; y: number } }) => `${x},${y}`,
      );
      expect(new Set(cells).size).toBe(panels.length);
    }
  });
});
