import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../../test/support/wait-for.ts';
import { isAlive } from './alive.ts';
import { type ChildOptions, projectRoot, spawnChild, tsxCommand } from './processes.ts';

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-processes-'));
});

afterAll(() => rm(dir, { recursive: true, force: true }));

/** A child that runs a line of JavaScript. */
function nodeChild(code: string, changes: Partial<ChildOptions> = {}) {
  const options = { name: 'child', command: process.execPath, args: ['-e', code] };
  return spawnChild({ ...options, logFile: join(dir, 'child.log'), ...changes });
}

const FOREVER = 'setInterval(() => {}, 1000);';

describe('spawnChild', () => {
  test('returns the exit code, and logs lines without secrets', async () => {
    const lines: string[] = [];
    const secret = 'postgres://me:s3cret%21pass@host/db';
    const code = `console.log('to ${secret}'); console.error('with s3cret!pass'); process.exit(75)`;
    const logFile = join(dir, 'secrets', 'child.log');
    const child = nodeChild(code, { logFile, secrets: [secret], onLine: (l) => lines.push(l) });
    expect(await child.exited).toEqual({ code: 75, signal: null, reason: 'with ***' });
    expect(lines.sort()).toEqual(['to ***', 'with ***']);
    expect((await readFile(logFile, 'utf8')).split('\n').sort()).toEqual(['', ...lines]);
  });

  test('passes the provided variables to the child, and none of its own', async () => {
    const lines: string[] = [];
    process.env.TRIBUTARY_TEST_SECRET = 'x';
    const code = 'console.log(process.env.GIVEN, process.env.TRIBUTARY_TEST_SECRET)';
    const child = nodeChild(code, { env: { GIVEN: 'yes' }, onLine: (line) => lines.push(line) });
    await child.exited;
    delete process.env.TRIBUTARY_TEST_SECRET;
    expect(lines).toEqual(['yes undefined']);
  });

  test('lets the child end in order on stop', async () => {
    const lines: string[] = [];
    const code = `process.on('SIGINT', () => { console.log('bye'); process.exit(0) }); console.log('up'); ${FOREVER}`;
    const child = nodeChild(code, { onLine: (line) => lines.push(line) });
    await waitFor(() => lines.includes('up'), { what: 'the child' });
    expect(await child.stop()).toEqual({ code: 0, signal: null });
    expect(lines).toContain('bye');
    expect(await child.stop()).toEqual({ code: 0, signal: null });
  });

  test('kills a child that does not end within its grace period', async () => {
    const lines: string[] = [];
    const code = `process.on('SIGINT', () => {}); console.log('up'); ${FOREVER}`;
    const child = nodeChild(code, { graceMs: 100, onLine: (line) => lines.push(line) });
    await waitFor(() => lines.includes('up'), { what: 'the child' });
    expect(await child.stop()).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('ends the processes that a child started', async () => {
    const lines: string[] = [];
    const code = `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', '${FOREVER}'], { stdio: 'inherit' }); console.log(pid); ${FOREVER}`;
    const child = nodeChild(code, { onLine: (line) => lines.push(line) });
    const grandchild = Number(await waitFor(() => lines[0], { what: 'the grandchild' }));
    expect(isAlive(grandchild)).toBe(true);
    process.kill(child.pid, 'SIGKILL');
    await child.exited;
    await waitFor(() => !isAlive(grandchild), { what: 'the grandchild to end' });
  });

  test('throws an error that names a missing command', () => {
    expect(() => nodeChild('', { command: join(dir, 'nothing') })).toThrow(/child: cannot start/);
  });
});

test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  'ends all children if the parent dies by %s',
  async (signal) => {
    const lines: string[] = [];
    const processes = JSON.stringify(join(projectRoot, 'engine/cli/stack/processes.ts'));
    const child = JSON.stringify({
      name: 'child',
      command: process.execPath,
      args: ['-e', FOREVER],
      logFile: join(dir, 'orphan.log'),
    });
    const code = `import(${processes}).then(({ spawnChild }) => console.log(spawnChild(${child}).pid)); ${FOREVER}`;
    const { command, args } = tsxCommand('-e', [code]);
    const parent = spawnChild({
      ...{ name: 'parent', command, args, cwd: projectRoot },
      ...{ logFile: join(dir, 'parent.log'), onLine: (line: string) => lines.push(line) },
    });
    const orphan = Number(await waitFor(() => lines[0], { what: 'the child’s child' }));
    expect(isAlive(orphan)).toBe(true);
    process.kill(parent.pid, signal);
    await parent.exited;
    await waitFor(() => !isAlive(orphan), { what: 'the orphan to end' });
  },
);
