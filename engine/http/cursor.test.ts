import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cursorAmount, cursorId, encodeCursor, placeOf } from './cursor.ts';
import { ValidationError } from './errors.ts';

const METHOD = 'campaigns.list';
const Place = z.tuple([cursorAmount, cursorId]);

describe('a cursor', () => {
  it('reads back as the place it was made of, whatever the limit is', () => {
    const amount = fc.bigInt({ min: -(10n ** 78n) + 1n, max: 10n ** 78n - 1n });
    const id = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(amount, id, fc.integer(), (key, campaignId, limit) => {
        const place = [String(key), String(campaignId)];
        const cursor = encodeCursor({ method: METHOD, input: { q: 'x', limit: 1 } }, place);
        expect(placeOf(METHOD, { limit, cursor, q: 'x', levels: undefined }, Place)).toEqual(place);
      }),
    );
  });

  it('is refused by any other method or filter', () => {
    const cursor = encodeCursor({ method: METHOD, input: { q: 'x' } }, ['1', '1']);
    const others: [string, Record<string, unknown>][] = [
      ['receipts.recent', { q: 'x' }],
      [METHOD, {}],
      [METHOD, { q: 'y' }],
      [METHOD, { q: 'x', levels: 1 }],
    ];
    for (const [method, input] of others) {
      expect(() => placeOf(method, { ...input, cursor }, Place)).toThrow(ValidationError);
    }
  });

  it('of any other text is a validation error and nothing worse', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
    );
    fc.assert(
      fc.property(anything, (cursor) => {
        expect(() => placeOf(METHOD, { cursor }, Place)).toThrow(ValidationError);
      }),
    );
  });

  it('holds no id beyond the range of its column', () => {
    expect(cursorId.safeParse('9223372036854775807').success).toBe(true);
    for (const id of ['9223372036854775808', '-1', '01', '', 'x', '1e3']) {
      expect(cursorId.safeParse(id).success, id).toBe(false);
    }
  });
});
