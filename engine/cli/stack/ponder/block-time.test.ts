import { afterEach, beforeEach, expect, test, vi } from 'vitest';

interface BlockTime {
  pollAtBlockTime(
    startMs: number,
    onTimer: (timer: NodeJS.Timeout) => void,
    poll: (saw: (block: { number: string; timestamp: string }) => void) => unknown,
    isFixed?: boolean,
  ): void;
}

const { pollAtBlockTime }: BlockTime = await import(
  new URL('./block-time.mjs', import.meta.url).href
);

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Counts the polls of a minute of a chain with a block every three seconds, after two minutes. */
async function pollsOfMinute(isFixed?: boolean): Promise<number> {
  let polls = 0;
  let timer: NodeJS.Timeout | undefined;
  pollAtBlockTime(
    1_000,
    (next) => {
      timer = next;
    },
    (saw) => {
      polls += 1;
      const number = Math.floor(Date.now() / 3_000);
      saw({ number: `0x${number.toString(16)}`, timestamp: `0x${(number * 3).toString(16)}` });
    },
    isFixed,
  );
  await vi.advanceTimersByTimeAsync(120_000);
  polls = 0;
  await vi.advanceTimersByTimeAsync(60_000);
  const found = polls;
  clearInterval(timer);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(polls).toBe(found);
  return found;
}

test('polls once a block, and no more once its last timer is cleared', async () => {
  expect(await pollsOfMinute()).toBe(20);
});

test('polls at the interval that an operator has set, whatever the block time is', async () => {
  expect(await pollsOfMinute(true)).toBe(60);
});

test('polls immediately: what is not final yet is read after the first poll', () => {
  let polls = 0;
  let timer: NodeJS.Timeout | undefined;
  pollAtBlockTime(
    10_000,
    (next) => {
      timer = next;
    },
    () => {
      polls += 1;
    },
  );
  clearInterval(timer);
  expect(polls).toBe(1);
});
