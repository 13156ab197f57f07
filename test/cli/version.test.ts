import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { openApiDocument } from '../../engine/http/openapi/document.ts';
import { readExamples } from '../../engine/http/openapi/examples.ts';
import { processWatch } from '../../engine/http/operations/metrics.ts';
import { runCli } from '../support/run-cli.ts';

const read = (file: string) => readFile(join(projectRoot, file), 'utf8');
const { version } = JSON.parse(await read('package.json')) as { version: string };

describe('the version of package.json', () => {
  it.each(['--version', '-V'])('prints the version of package.json with %s', async (option) => {
    expect(await runCli([option])).toEqual({
      code: 0,
      stdout: `tributary ${version}\n`,
      stderr: '',
    });
  });

  it('names it in the lock file, and as the newest of the changelog', async () => {
    const lock = JSON.parse(await read('package-lock.json'));
    expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
    const [, newest] = /^## (\S+)/m.exec(await read('CHANGELOG.md')) ?? [];
    expect(newest).toBe(version);
  });

  it('names it in the Helm chart', async () => {
    const chart = await read('deploy/helm/tributary/Chart.yaml');
    expect(chart).toMatch(new RegExp(`^version: ${version}$`, 'm'));
    expect(chart).toMatch(new RegExp(`^appVersion: "${version}"$`, 'm'));
  });

  it('shows it in the OpenAPI document and its example of the status', () => {
    expect(openApiDocument().info).toMatchObject({ version });
    expect(readExamples()['system.status']?.response.data).toMatchObject({ version });
  });

  it('labels a metric with it', async () => {
    const register = new Registry();
    processWatch(register);
    expect(await register.metrics()).toContain(`tributary_build_info{version="${version}"} 1`);
  });
});
