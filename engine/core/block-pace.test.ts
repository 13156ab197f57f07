import { describe, expect, it } from 'vitest';
import { BlockPace } from './block-pace.ts';

/** Polls a chain at the pace's own intervals; its blocks come every so many milliseconds, with times in whole seconds. */
class PolledChain {
  #now = 1_800_000_000_000;
  #mined = this.#now;
  #number = 100;

  constructor(
    readonly pace: BlockPace,
    public blockMs: number,
  ) {}

  /** @returns the polls that it took. */
  run(seconds: number): number {
    const end = this.#now + 1_000 * seconds;
    let polls = 0;
    for (; this.#now < end; polls += 1) {
      this.#now += this.pace.ms;
      for (; this.#mined + this.blockMs <= this.#now; this.#number += 1) {
        this.#mined += this.blockMs;
      }
      const timestamp = Math.floor(this.#mined / 1_000);
      this.pace.saw({ number: this.#number, timestamp });
    }
    return polls;
  }
}

describe('BlockPace', () => {
  it.each([
    { blockMs: 250, startMs: 4_000, ms: 2_000 },
    { blockMs: 1_750, startMs: 4_000, ms: 1_750 },
    { blockMs: 2_000, startMs: 500, ms: 2_000 },
    { blockMs: 12_000, startMs: 500, ms: 4_000 },
  ])('goes from $startMs to $ms ms on a chain with a block every $blockMs ms', (example) => {
    const { blockMs, startMs, ms } = example;
    const chain = new PolledChain(new BlockPace(startMs), blockMs);
    chain.run(120);
    expect(Math.abs(chain.pace.ms - ms)).toBeLessThan(0.1 * ms);
  });

  it('follows a chain that becomes slower, and one that becomes faster, within a minute and a half', () => {
    const chain = new PolledChain(new BlockPace(2_000), 2_000);
    chain.run(120);
    chain.blockMs = 3_000;
    chain.run(90);
    expect(chain.pace.ms).toBe(3_000);
    chain.blockMs = 1_500;
    chain.run(90);
    expect(Math.abs(chain.pace.ms - 1_500)).toBeLessThan(150);
  });

  it('goes on as before after an outage, a reorg and blocks that come late', () => {
    const chain = new PolledChain(new BlockPace(2_000), 2_000);
    chain.run(120);
    chain.pace.saw({ number: 10_000, timestamp: 1_800_090_000 });
    chain.pace.saw({ number: 9_990, timestamp: 1_800_089_980 });
    chain.pace.saw({ number: 9_991, timestamp: 1_800_090_100 });
    expect(chain.pace.ms).toBe(2_000);
  });

  it('polls a chain with a block every two seconds at most 1,900 times an hour', () => {
    const chain = new PolledChain(new BlockPace(500), 2_000);
    expect(chain.run(3_600)).toBeLessThan(1_900);
  });
});
