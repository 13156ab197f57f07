import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cliCommand, FRUGAL, projectRoot } from '../../engine/cli/stack/processes.ts';

const read = (...path: string[]) => readFileSync(join(projectRoot, 'deploy', ...path), 'utf8');
const variables = Object.entries(FRUGAL.env).map(([name, value]) => `${name}=${value}`);

it.each(['api@', 'worker@', 'indexer'])(
  'runs the unit tributary-%s with the settings of memory that `start` has',
  (unit) => {
    const text = read('systemd', `tributary-${unit}.service`);
    const [, flags = ''] =
      /^ExecStart=\/usr\/bin\/env node (.*) \S+tributary\.mjs /m.exec(text) ?? [];
    expect(flags.split(' ')).toEqual(FRUGAL.node);
    const set = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs = '']) =>
      pairs.split(' '),
    );
    expect(set).toEqual(expect.arrayContaining(variables));
  },
);

it('runs the image with them, which Compose and the chart start without a command of their own', () => {
  const text = read('Dockerfile');
  const entrypoint = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(text)?.[1] ?? '[]');
  expect(entrypoint.slice(0, -1)).toEqual(['node', ...FRUGAL.node]);
  const set = [...text.matchAll(/^ENV (.*)$/gm)].flatMap(([, pairs = '']) => pairs.split(' '));
  expect(set).toEqual(expect.arrayContaining(variables));
  const templates = readdirSync(join(projectRoot, 'deploy', 'helm', 'tributary', 'templates'));
  for (const name of templates) {
    expect(read('helm', 'tributary', 'templates', name)).not.toMatch(/^\s+command: .*tributary/m);
  }
  expect(read('compose.yaml')).not.toContain('entrypoint:');
});

it('starts workers and APIs of `start` with them', () => {
  expect(cliCommand(['worker']).args.slice(0, FRUGAL.node.length)).toEqual(FRUGAL.node);
});
