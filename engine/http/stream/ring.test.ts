import { describe, expect, it } from 'vitest';
import type { Entry } from './message.ts';
import { Ring } from './ring.ts';

function entry(sequence: number, text = 'x'): Entry {
  return { change: { sequence, campaignId: '1', kind: 'retracted', afterSeq: 0 }, text };
}

describe('the ring', () => {
  it('stores the newest messages, limited by number and size, and reports its floor', () => {
    const ring = new Ring({ ringMessages: 3, ringCharacters: 10 }, 40);
    expect([ring.floor, ring.newest, ring.at(41)]).toEqual([40, 40, undefined]);
    ring.add([41, 42, 43, 44].map((sequence) => entry(sequence)));
    expect([ring.floor, ring.newest]).toEqual([41, 44]);
    expect(ring.at(42)?.change.sequence).toBe(42);
    expect(ring.at(44)?.change.sequence).toBe(44);
    expect(ring.at(45)).toBeUndefined();
    ring.add([entry(45, 'nine char')]);
    expect([ring.floor, ring.newest]).toEqual([43, 45]);
    // A message larger than the ring empties it: a reader that has not read it must resume.
    ring.add([entry(46, 'x'.repeat(11))]);
    expect([ring.floor, ring.newest, ring.at(46)]).toEqual([46, 46, undefined]);
    ring.add([entry(47)]);
    expect(ring.at(47)?.change.sequence).toBe(47);
  });

  it('rejects a message that skips or repeats a sequence number', () => {
    const ring = new Ring({ ringMessages: 3, ringCharacters: 10 }, 7);
    ring.add([entry(8)]);
    expect(() => ring.add([entry(8)])).toThrow('change 8 does not follow 8');
    expect(() => ring.add([entry(10)])).toThrow('change 10 does not follow 8');
  });
});
