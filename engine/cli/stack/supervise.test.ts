import { describe, expect, test } from 'vitest';
import { waitFor } from '../../../test/support/wait-for.ts';
import type { Child, Exit } from './processes.ts';
import { CannotRestartError, supervise } from './supervise.ts';

/** A child that ends on `end`. */
function fakeChild(): Child & { end(exit: Exit): void } {
  let end: (exit: Exit) => void = () => {};
  const exited = new Promise<Exit>((resolve) => {
    end = resolve;
  });
  const finish = (exit: Exit) => {
    end(exit);
    return exited;
  };
  return {
    pid: 1,
    exited,
    end,
    stop: () => finish({ code: 0, signal: null }),
    kill: () => finish({ code: null, signal: 'SIGKILL' }),
  };
}

function setUp(isPermanent?: (exit: Exit) => boolean) {
  const started: ReturnType<typeof fakeChild>[] = [];
  const log: string[] = [];
  const options = {
    name: 'worker',
    start: () => {
      const child = fakeChild();
      started.push(child);
      return child;
    },
    log: (line: string) => log.push(line),
    firstDelayMs: 1,
    longestDelayMs: 4,
    ...(isPermanent ? { isPermanent } : {}),
  };
  return { started, log, options };
}

describe('supervise', () => {
  test('restarts a child, doubling the wait up to the maximum', async () => {
    const { started, log, options } = setUp();
    const supervised = await supervise(options);
    for (let i = 0; i < 4; i++) {
      await waitFor(() => supervised.current() === started[i], { what: `start ${i}` });
      await started[i]?.kill();
      await waitFor(() => started.length === i + 2, { what: `start ${i + 1}` });
    }
    expect(log).toEqual(
      [1, 2, 4, 4].flatMap((delay, i) => [
        `worker ended by SIGKILL${i < 2 ? '' : `, ${i + 1} times in a row`}: restarting in ${delay} ms.`,
        'worker is running again.',
      ]),
    );
    await supervised.stop();
  });

  test('reports a permanent exit and does not restart', async () => {
    const { started, options } = setUp((exit) => exit.code === 1);
    const supervised = await supervise(options);
    started[0]?.end({ code: 1, signal: null });
    expect(await supervised.gaveUp).toEqual({ code: 1, signal: null });
    expect(supervised.current()).toBeUndefined();
    expect(started).toHaveLength(1);
  });

  test('reports the reason if a start cannot succeed, and does not restart', async () => {
    const { started, options } = setUp();
    let starts = 0;
    const start = () => {
      if (++starts > 1) throw new CannotRestartError('The state is lost.');
      return options.start();
    };
    const supervised = await supervise({ ...options, start });
    await started[0]?.kill();
    expect(await supervised.gaveUp).toMatchObject({ reason: 'The state is lost.' });
    expect(starts).toBe(2);
    await supervised.stop();
  });

  test('ends the child on stop, and starts no other', async () => {
    const { started, options } = setUp();
    const supervised = await supervise(options);
    await supervised.stop();
    expect(await started[0]?.exited).toEqual({ code: 0, signal: null });
    expect(started).toHaveLength(1);
  });

  test('ends a child that is still starting when it is stopped', async () => {
    const { started, options } = setUp();
    let letStart = () => {};
    let starts = 0;
    const start = async () => {
      if (++starts === 2) await new Promise<void>((resolve) => (letStart = resolve));
      return options.start();
    };
    const supervised = await supervise({ ...options, start });
    await started[0]?.kill();
    await waitFor(() => starts === 2, { what: 'the second start' });
    const stopped = supervised.stop();
    letStart();
    await stopped;
    expect(await started[1]?.exited).toEqual({ code: 0, signal: null });
  });

  test('retries a failed restart, and throws if the first start fails', async () => {
    const { started, log, options } = setUp();
    let starts = 0;
    const start = () => {
      if (++starts === 2) throw new Error('no port');
      return options.start();
    };
    const supervised = await supervise({ ...options, start });
    await started[0]?.kill();
    await waitFor(() => started.length === 2, { what: 'the third start' });
    expect(log).toContain('worker did not start: no port');
    await supervised.stop();
    const failing = { ...options, start: () => Promise.reject(new Error('no port')) };
    await expect(supervise(failing)).rejects.toThrow('no port');
  });
});
