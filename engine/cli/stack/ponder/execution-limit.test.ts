import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

interface ExecutionLimit {
  whenExecutionHangs(callback: () => void, maxSeconds?: number): NodeJS.Timeout;
}

const module = new URL('./execution-limit.mjs', import.meta.url).href;
const { whenExecutionHangs }: ExecutionLimit = await import(module);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('calls back once after 300 s, and not if the file has ended', () => {
  const [late, ended] = [vi.fn(), vi.fn()];
  whenExecutionHangs(late);
  clearTimeout(whenExecutionHangs(ended));
  vi.advanceTimersByTime(299_000);
  expect(late).not.toHaveBeenCalled();
  vi.advanceTimersByTime(500_000);
  expect(late).toHaveBeenCalledTimes(1);
  expect(ended).not.toHaveBeenCalled();
});

test.runIf(process.platform !== 'win32')(
  'counts no time in which the process did not run',
  async () => {
    vi.useRealTimers();
    // A file that needs half a second, and a limit of two.
    const code = `
    const { whenExecutionHangs } = await import(${JSON.stringify(module)});
    const timer = whenExecutionHangs(() => { console.log('hangs'); process.exit() }, 2);
    let steps = 0;
    const execute = () => {
      if (++steps < 10) return setTimeout(execute, 50);
      clearTimeout(timer);
      console.log('ended');
    };
    execute();
    console.log('began');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    await once(child.stdout, 'data');
    child.kill('SIGSTOP');
    await setTimeout(2_500);
    child.kill('SIGCONT');
    await once(child, 'close');
    expect(text).toBe('began\nended\n');
  },
);
