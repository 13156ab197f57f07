import { describe, expect, it } from 'vitest';
import { Connections } from './connections.ts';

const LIMITS = { perAddress: 20, perWideNetwork: 100, readers: 1_000, pressedMs: 60_000 };

/** Connections whose slots are all taken, by fifty networks. */
function full(now: () => number = () => 0) {
  const connections = new Connections(LIMITS, now);
  const ended: string[] = [];
  for (let i = 0; i < 1_000; i += 1) {
    const address = `10.0.${i % 50}.1`;
    const slot = connections.take(address);
    slot.whenNeeded(() => {
      ended.push(address);
      slot.release();
    });
  }
  return { connections, ended };
}

describe('the slots of streams', () => {
  it('gives slots to new networks one after the other, even if fifty networks hold all of them', () => {
    const { connections, ended } = full();
    for (let i = 0; i < 200; i += 1) connections.take(`10.1.${i}.1`);
    expect(ended).toHaveLength(200);
    expect(new Set(ended).size).toBe(50);
    expect(connections.count).toBe(1_000);
  });

  it('refuses a slot to a network that already holds as many as any other', () => {
    const { connections } = full();
    for (let i = 0; i < 19; i += 1) connections.take('10.1.0.1');
    expect(() => connections.take('10.0.3.1')).toThrow('Too many streams');
  });

  it('ends the oldest stream after a time if every network holds one', () => {
    let now = 0;
    const connections = new Connections({ ...LIMITS, readers: 3 }, () => now);
    const ended: number[] = [];
    for (const i of [1, 2, 3]) {
      const slot = connections.take(`10.0.0.${i}`);
      slot.whenNeeded(() => {
        ended.push(i);
        slot.release();
      });
    }
    now = 59_000;
    expect(() => connections.take('10.0.0.4')).toThrow('Too many streams are open');
    now = 60_000;
    connections.take('10.0.0.4');
    expect(ended).toEqual([1]);
  });

  it('counts the streams of an IPv6 network of 48 bits too', () => {
    const connections = new Connections(LIMITS);
    const take = (i: number) => connections.take(`2001:db8:7:${i.toString(16)}::1`);
    for (let i = 0; i < 100; i += 1) take(i);
    expect(() => take(100)).toThrow('Too many streams from this address');
    connections.take('2001:db8:8::1');
  });
});
