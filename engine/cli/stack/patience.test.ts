import { expect, test } from 'vitest';
import { type Machine, Patience, processorTime } from './patience.ts';

/** A machine of a constant pace, on which no time passes. */
const machine = (pace: number): Machine => ({ pace: () => pace, wait: async () => {} });

/** Pauses of a second until the patience is over. */
async function pausesUntilOver(patience: Patience): Promise<number> {
  let pauses = 0;
  for (; !patience.isOver; pauses += 1) await patience.pause(1_000);
  return pauses;
}

test('waits for the seconds of a free machine, and longer the busier it is', async () => {
  expect(await pausesUntilOver(new Patience(60, machine(1)))).toBe(60);
  expect(await pausesUntilOver(new Patience(60, machine(8)))).toBe(480);
});

test('starts again with each progress', async () => {
  const patience = new Patience(3, machine(1));
  for (let i = 0; i < 10; i += 1) {
    await patience.pause(2_000);
    expect(patience.isOver).toBe(false);
    patience.progressed();
  }
  expect(await pausesUntilOver(patience)).toBe(3);
});

test('counts one pause for a time in which the machine was suspended', async () => {
  let slept = 0;
  const suspended: Machine = {
    pace: () => 1,
    wait: async () => {
      slept += 3_600_000;
    },
  };
  const patience = new Patience(60, suspended);
  await patience.pause(1_000);
  expect({ slept, isOver: patience.isOver }).toEqual({ slept: 3_600_000, isOver: false });
});

test.runIf(process.platform === 'linux')('reads the processor time of a process', () => {
  const before = processorTime(process.pid);
  const end = performance.now() + 50;
  while (performance.now() < end);
  expect(before).toBeGreaterThan(0);
  expect(processorTime(process.pid)).toBeGreaterThan(before);
  expect(processorTime(2 ** 30)).toBe(0);
});
