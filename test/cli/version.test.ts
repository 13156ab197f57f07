import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { openApiDocument } from '../../engine/http/openapi/document.ts';
import { readExamples } from '../../engine/http/openapi/examples.ts';
import { processWatch } from '../../engine/http/operations/metrics.ts';
import { previousRelease } from '../support/previous-release.ts';
import { runCli } from '../support/run-cli.ts';

const read = (file: string) => readFile(join(projectRoot, file), 'utf8');
const { version } = JSON.parse(await read('package.json')) as { version: string };

/** The version to which test/release/operate.test.ts upgrades. */
async function nextVersion(): Promise<string> {
  const [, next] = /^const NEXT = '(.+)';$/m.exec(await read('test/release/operate.test.ts')) ?? [];
  if (next === undefined) throw new Error('test/release/operate.test.ts has no NEXT.');
  return next;
}

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

  it('names it in the commands of the pages for operators, and the next one where they upgrade', async () => {
    const next = await nextVersion();
    const pages = (await readdir(join(projectRoot, 'docs'), { recursive: true })).filter((name) =>
      name.endsWith('.md'),
    );
    const found = await Promise.all(
      pages.map(async (name) => {
        const named = (await read(`docs/${name}`)).matchAll(
          /(?:^tributary |tributary[-@]|tag: )(\d+[.]\d+[.]\d+)/gm,
        );
        return [name, new Set([...named].map(([, one = '']) => one))] as const;
      }),
    );
    expect(Object.fromEntries(found.filter(([, versions]) => versions.size > 0))).toEqual({
      'operate/containers.md': new Set([version]),
      'operate/install.md': new Set([version]),
      'operate/upgrade.md': new Set([version, next]),
      'use/packages.md': new Set([version]),
    });
  });

  it('comes right after the release from which the tests upgrade, and before the one to which they do', async () => {
    const released = [...(await read('CHANGELOG.md')).matchAll(/^## (\d+[.]\d+[.]\d+)/gm)];
    expect(released.slice(0, 2).map(([, one]) => one)).toEqual([version, previousRelease.version]);
    const numbers = version.split('.').map(Number);
    expect(await nextVersion()).toBe(`${numbers[0]}.${Number(numbers[1]) + 1}.0`);
  });

  it('changes with every file that CONTRIBUTING.md lists for a release', async () => {
    const [, section = ''] = (await read('CONTRIBUTING.md')).split('## Version and packages');
    for (const one of [
      ...['package.json', 'package-lock.json', 'CHANGELOG.md', 'Chart.yaml'],
      ...['install.md', 'upgrade.md', 'containers.md', 'packages.md'],
      ...['previousRelease', 'test/support/previous-release.ts'],
      ...['NEXT', 'test/release/operate.test.ts'],
    ]) {
      expect(section).toContain(one);
    }
  });

  it('belongs to a project that npm refuses to publish: its packages are made by npm run pack', async () => {
    expect(JSON.parse(await read('package.json'))).toMatchObject({ private: true });
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
