import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../test/support/wait-for.ts';
import { isAlive, isZombie, processStart } from '../stack/alive.ts';
import { spawnChild } from '../stack/processes.ts';
import { claimFolder } from './claim-folder.ts';

const FOREVER = 'setInterval(() => {}, 1000);';

describe('claimFolder', () => {
  let dataDir: string;
  const releases: (() => void)[] = [];
  const pids: number[] = [];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tributary-claim-'));
  });
  afterEach(async () => {
    for (const release of releases.splice(0)) release();
    for (const pid of pids.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  });

  async function claim(said: string[] = []): Promise<void> {
    releases.push(await claimFolder(dataDir, (text) => said.push(text)));
  }

  /** Starts a process that no guard watches, as if its guard had been killed. */
  async function orphan(code: string): Promise<number> {
    const child = spawn(process.execPath, ['-e', `${code} console.log('up'); ${FOREVER}`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    const { pid } = child;
    if (pid === undefined) throw new Error('the process did not start');
    pids.push(pid);
    return pid;
  }

  /** Writes the claim of a start that was killed. */
  async function leave(children: readonly object[], owner: object): Promise<void> {
    await writeFile(join(dataDir, 'start.json'), JSON.stringify({ owner, children }));
  }

  const gone = { pid: 2 ** 22 + 1 };
  const hasEnded = (pid: number) => !isAlive(pid) || isZombie(pid);

  it('refuses a folder from the first moment on, and lets it be claimed again afterwards', async () => {
    await claim();
    await expect(claim()).rejects.toThrow(`already running here (process ${process.pid})`);
    for (const release of releases.splice(0)) release();
    await claim();
  });

  it('names the processes that run, until they end', async () => {
    await claim();
    const child = spawnChild({ name: 'child', command: process.execPath, args: ['-e', FOREVER] });
    const named = async () => {
      const { children, guard } = JSON.parse(await readFile(join(dataDir, 'start.json'), 'utf8'));
      expect(isAlive(guard.pid)).toBe(true);
      return children.map(({ pid }: { pid: number }) => pid);
    };
    expect(await named()).toContain(child.pid);
    await child.kill();
    expect(await named()).not.toContain(child.pid);
  });

  it('ends what a killed start left running, in order or by force', async () => {
    const polite = await orphan('');
    const stubborn = await orphan("process.on('SIGINT', () => {});");
    const childOf = (pid: number) => ({
      ...{ pid, startedAt: processStart(pid), signal: 'SIGINT', graceMs: 200 },
    });
    await leave([childOf(polite), childOf(stubborn)], gone);
    const said: string[] = [];
    await claim(said);
    expect([hasEnded(polite), hasEnded(stubborn)]).toEqual([true, true]);
    expect(said).toEqual(['Ending 2 processes that an earlier start left running']);
  });

  it('leaves a process alone that has got the id of another one', async () => {
    const other = await orphan('');
    const child = { pid: other, startedAt: 'another time', signal: 'SIGINT', graceMs: 200 };
    await leave([child], { pid: process.pid, startedAt: 'another time' });
    await claim();
    expect(isAlive(other)).toBe(true);
  });

  it('takes over a claim that is torn', async () => {
    await writeFile(join(dataDir, 'start.json'), '{"owner":');
    await claim();
  });

  it('names DATA_DIR if it cannot be written', async () => {
    const file = join(dataDir, 'file');
    await writeFile(file, '');
    await expect(claimFolder(join(file, 'data'), () => {})).rejects.toThrow(
      /^DATA_DIR cannot be written: .*file\/data \(ENOTDIR/,
    );
  });
});

it('starts the guard of this process again if it is killed, which then knows what to watch', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-claim-'));
  const module = JSON.stringify(new URL('./claim-folder.ts', import.meta.url).href);
  const processes = JSON.stringify(new URL('../stack/processes.ts', import.meta.url).href);
  const code = `
    const { claimFolder } = await import(${module});
    const { spawnChild } = await import(${processes});
    await claimFolder(${JSON.stringify(dataDir)}, () => {});
    spawnChild({ name: 'child', command: process.execPath, args: ['-e', ${JSON.stringify(FOREVER)}] });
    ${FOREVER}`;
  const loader = import.meta.resolve('tsx');
  const parent = spawn(process.execPath, ['--import', loader, '--input-type=module', '-e', code], {
    stdio: 'ignore',
  });
  const read = async () => JSON.parse(await readFile(join(dataDir, 'start.json'), 'utf8'));
  const child = await waitFor(async () => (await read()).children[0]?.pid, { what: 'the child' });
  const first = (await read()).guard.pid;
  process.kill(first, 'SIGKILL');
  await waitFor(async () => (await read()).guard.pid !== first, { what: 'another guard' });
  parent.kill('SIGKILL');
  await waitFor(() => !isAlive(child) || isZombie(child), { what: 'the child to end' });
  await rm(dataDir, { recursive: true, force: true });
});
