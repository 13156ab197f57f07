import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatEventId, parseEventId, transactionIndexOf } from './event-id.ts';

const parts = fc.record({
  timestamp: fc.nat({ max: 9_999_999_999 }),
  chainId: fc.maxSafeNat().map(String),
  blockNumber: fc.maxSafeNat(),
  transactionIndex: fc.nat(),
  logIndex: fc.nat(),
});

it('composes the id that Ponder gives a log', () => {
  const id = '170000000000000000000313370000000000000100000000000000000750000000000000042';
  const location = { timestamp: 1_700_000_000, chainId: '31337', blockNumber: 100 };
  expect(formatEventId({ ...location, transactionIndex: 7, logIndex: 42 })).toBe(id);
});

it('reads from an id what it was composed of', () => {
  fc.assert(
    fc.property(parts, (location) => {
      const id = formatEventId(location);
      expect(id).toMatch(/^[0-9]{75}$/);
      expect(parseEventId(id)).toEqual(location);
      expect(transactionIndexOf(id)).toBe(location.transactionIndex);
    }),
  );
});

it('refuses a text that is no id', () => {
  expect(() => parseEventId('1700000000')).toThrow('expected an event id of 75 digits');
});
