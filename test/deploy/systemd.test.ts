import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { parseEnvFile, variableNames } from './env-file.ts';

const folder = join(projectRoot, 'deploy', 'systemd');
const names = readdirSync(folder);
const services = names.filter((name) => name.endsWith('.service'));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

const systemdAvailable =
  spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0;
if (!systemdAvailable) {
  console.warn('No systemd-analyze on the PATH: the units of systemd are not verified.');
}

describe('the units of deploy/systemd', () => {
  it('run commands of tributary, and stop as its parts do', () => {
    expect(services).toEqual(
      expect.arrayContaining([
        ...['tributary-api@.service', 'tributary-indexer.service'],
        ...['tributary-migrate.service', 'tributary-worker@.service'],
      ]),
    );
    for (const name of services) {
      const [, command = ''] = /^ExecStart=.*tributary\.mjs (\w+)/m.exec(read(name)) ?? [];
      expect(name).toContain(`tributary-${command}`);
    }
    const seconds = /^TimeoutStopSec=(\d+)s$/m.exec(read('tributary-api@.service'))?.[1];
    expect(Number(seconds)).toBeGreaterThan(36);
    // A SIGTERM to Ponder itself would leave its lock.
    expect(read('tributary-indexer.service')).toContain('KillMode=mixed');
  });

  it('set only variables that exist', () => {
    const example = parseEnvFile(read('tributary.env.example'));
    const set = services.flatMap((name) =>
      [...read(name).matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs = '']) =>
        pairs.split(' ').map((pair) => pair.split('=')[0] ?? ''),
      ),
    );
    const unknown = [...Object.keys(example), ...set].filter((name) => !variableNames.has(name));
    // Node's and the C library's own, and those that the command line of the backup uses.
    const others = ['NODE_ENV', 'BACKUP_TO', 'BACKUP_KEEP', 'MALLOC_ARENA_MAX'];
    expect(unknown.filter((name) => !others.includes(name))).toEqual([]);
    // The file would win over the unit.
    expect(Object.keys(example)).not.toContain('PORT');
    expect(Object.keys(example)).not.toContain('METRICS_PORT');
  });

  describe.skipIf(!systemdAvailable)('for systemd-analyze', () => {
    let copies: string;
    beforeAll(() => {
      copies = mkdtempSync(join(tmpdir(), 'tributary-units-'));
      for (const name of names) copyFileSync(join(folder, name), join(copies, name));
    });
    afterAll(() => rmSync(copies, { recursive: true, force: true }));

    const units = names
      .filter((name) => /\.(service|target|timer)$/.test(name))
      .map((name) => name.replace('@.', '@4001.'));

    it('pass its verification', () => {
      const { status, stderr } = spawnSync(
        'systemd-analyze',
        ['verify', ...units.map((name) => join(copies, name))],
        { encoding: 'utf8' },
      );
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    });

    it.each(services)('%s leaves little to an intruder', (name) => {
      const { status, stdout, stderr } = spawnSync(
        'systemd-analyze',
        ['security', '--offline=yes', '--threshold=25', join(copies, name.replace('@.', '@4001.'))],
        { encoding: 'utf8' },
      );
      expect(status, `${stdout.slice(-300)}${stderr}`).toBe(0);
    });
  });
});
