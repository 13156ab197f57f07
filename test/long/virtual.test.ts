import { describe, expect, it } from 'vitest';
import { virtualFaultNames } from '../simulator/virtual/faults.ts';
import { play } from '../simulator/virtual/play.ts';

describe('the virtual simulator', () => {
  it.each(virtualFaultNames)('survives the fault %s again and again', async (name) => {
    const outcome = await play(21, 800, { mix: [name] });
    expect(outcome.failure).toBeUndefined();
    expect(outcome.rounds.filter(({ happened }) => happened).length).toBeGreaterThan(0);
  });
});
