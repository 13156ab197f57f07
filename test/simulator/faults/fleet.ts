import type { Fault } from './fault.ts';

const HOUR_MS = 3_600_000;

/** Another number of workers from now on. */
const workers: Fault = {
  weight: 3,
  run: async ({ history, system, dice }) => {
    const count = dice.between(1, 3);
    await Promise.all([history.play(4), system.setWorkers(count)]);
    return `${count} from now on`;
  },
};

/** Machines whose clocks are an hour off: all workers and the API, until the calls are settled. */
const clockOff: Fault = {
  weight: 2,
  run: async ({ history, system, checks, dice }) => {
    const shiftMs = dice.pick([HOUR_MS, -HOUR_MS]);
    const count = dice.between(1, 2);
    checks.reader.excuse = 'unavailable';
    await system.startApi(shiftMs);
    await system.setWorkers(count, shiftMs);
    await history.play(5);
    await checks.check();
    checks.reader.excuse = 'unavailable';
    await system.startApi(0);
    await system.setWorkers(count);
    return `${count} workers and the API ${shiftMs > 0 ? 'an hour ahead' : 'an hour behind'}`;
  },
};

/** Nothing goes wrong: the clock of holds goes on, and nothing else. */
const quiet: Fault = {
  weight: 1,
  run: async ({ history }) => {
    await history.play(3);
    return 'nothing went wrong';
  },
};

export const fleetFaults = { workers, clockOff, quiet } as const satisfies Record<string, Fault>;
