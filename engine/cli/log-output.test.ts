import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { projectRoot } from './stack/processes.ts';

type Process = ChildProcessByStdio<null, Readable, null>;

/** A process that logs `the first` and `the last` at this level, and goes on. */
function start(then: string, level = 'info'): Process {
  const program = `
    import { makeLogger } from './engine/cli/logger.ts';
    const log = makeLogger({ level: 'info' });
    log.info('the first');
    log.${level}('the last');
    ${then}`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
  return spawn(process.execPath, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** All messages of a process that has ended, and how it ended. */
async function ended(child: Process) {
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [code, signal] = await once(child, 'close');
  const lines = text.split('\n').slice(0, -1);
  return { end: signal ?? code, messages: lines.map((line) => JSON.parse(line).msg) };
}

const both = ['the first', 'the last'];
/** Goes on until it is ended, which is before the lines are due. */
const onceEndedBy = (signal: string) => `
  setInterval(() => {}, 1_000);
  process.kill(process.pid, '${signal}');`;

describe('openLogOutput', () => {
  it.each([
    ['has nothing left to do', '', 0],
    ['exits', 'process.exit(3);', 3],
    ['throws', "throw new Error('uncaught');", 1],
    ['throws later', "setImmediate(() => { throw new Error('uncaught'); });", 1],
    ['leaves a rejection', "void Promise.reject(new Error('uncaught'));", 1],
    ['gets SIGTERM', onceEndedBy('SIGTERM'), 'SIGTERM'],
    ['loses its terminal', onceEndedBy('SIGHUP'), 'SIGHUP'],
  ])('writes the last line of a process that %s', async (_, then, end) => {
    expect(await ended(start(then))).toEqual({ end, messages: both });
  });

  it('writes lines that a process logs in its own signal handler', async () => {
    const stop = "process.once('SIGTERM', () => { log.info('stopped'); process.exit(0); });";
    const child = start(`${stop}${onceEndedBy('SIGTERM')}`);
    expect(await ended(child)).toEqual({ end: 0, messages: [...both, 'stopped'] });
  });

  it.runIf(existsSync('/dev/full'))(
    'costs lines and not the process if its disk is full',
    async () => {
      const program = `
        import { makeLogger } from './engine/cli/logger.ts';
        const log = makeLogger({ level: 'info' });
        for (let i = 0; i < 1000; i += 1) log.info('x'.repeat(5000));
        log.error('an error');
        setTimeout(() => { log.warn('the last'); process.stderr.write('it lives'); }, 300);`;
      const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
      const full = openSync('/dev/full', 'w');
      const child = spawn(process.execPath, args, {
        cwd: projectRoot,
        stdio: ['ignore', full, 'pipe'],
      });
      closeSync(full);
      let output = '';
      child.stderr?.on('data', (chunk) => {
        output += chunk;
      });
      const [code] = await once(child, 'close');
      expect({ code, said: output }).toEqual({ code: 0, said: 'it lives' });
    },
  );

  it('writes a warning and all lines before it, even if the process is then killed', async () => {
    const killed = "process.kill(process.pid, 'SIGKILL');";
    expect(await ended(start(killed, 'warn'))).toEqual({ end: 'SIGKILL', messages: both });
    expect(await ended(start(killed))).toEqual({ end: 'SIGKILL', messages: [] });
  });

  it('writes the lines of an idle process', async () => {
    const child = start('setInterval(() => {}, 1_000);');
    const [chunk] = await once(child.stdout, 'data');
    expect(String(chunk)).toContain('the last');
    child.kill();
    await once(child, 'close');
  });

  it('writes many lines completely and in order', async () => {
    const text = "i % 100 === 0 ? 'x'.repeat(9_000) : String(i)";
    const many = start(`for (let i = 0; i < 2_000; i++) log.info(${text});`);
    const { messages } = await ended(many);
    expect(messages.slice(2)).toEqual(
      Array.from({ length: 2_000 }, (_, i) => (i % 100 === 0 ? 'x'.repeat(9_000) : String(i))),
    );
  });
});
