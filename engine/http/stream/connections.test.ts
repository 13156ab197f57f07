import { describe, expect, it } from 'vitest';
import { Connections } from './connections.ts';

const LIMITS = { perAddress: 20, perWideNetwork: 100, readers: 1_000, pressedMs: 60_000 };

/** All places, taken by fifty networks. */
function full(now: () => number = () => 0) {
  const connections = new Connections(LIMITS, now);
  const ended: string[] = [];
  for (let i = 0; i < 1_000; i += 1) {
    const address = `10.0.${i % 50}.1`;
    const place = connections.take(address);
    place.whenNeeded(() => {
      ended.push(address);
      place.release();
    });
  }
  return { connections, ended };
}

describe('the places of streams', () => {
  it('go to new networks, one after the other, though fifty hold all of them', () => {
    const { connections, ended } = full();
    for (let i = 0; i < 200; i += 1) connections.take(`10.1.${i}.1`);
    expect(ended).toHaveLength(200);
    expect(new Set(ended).size).toBe(50);
    expect(connections.count).toBe(1_000);
  });

  it('are refused to a network that holds as many as any', () => {
    const { connections } = full();
    for (let i = 0; i < 19; i += 1) connections.take('10.1.0.1');
    expect(() => connections.take('10.0.3.1')).toThrow('Too many streams');
  });

  it('are given up by the oldest stream after a time if every network holds one', () => {
    let now = 0;
    const connections = new Connections({ ...LIMITS, readers: 3 }, () => now);
    const ended: number[] = [];
    for (const i of [1, 2, 3]) {
      const place = connections.take(`10.0.0.${i}`);
      place.whenNeeded(() => {
        ended.push(i);
        place.release();
      });
    }
    now = 59_000;
    expect(() => connections.take('10.0.0.4')).toThrow('Too many streams are open just now');
    now = 60_000;
    connections.take('10.0.0.4');
    expect(ended).toEqual([1]);
  });

  it('are counted for an IPv6 network of 48 bits, too', () => {
    const connections = new Connections(LIMITS);
    const take = (i: number) => connections.take(`2001:db8:7:${i.toString(16)}::1`);
    for (let i = 0; i < 100; i += 1) take(i);
    expect(() => take(100)).toThrow('Too many streams of this address');
    connections.take('2001:db8:8::1');
  });
});
