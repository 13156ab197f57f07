import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HttpError } from '../errors.ts';
import { cursorAmount, cursorId, decodeCursor, encodeCursor, ListPage } from './cursor.ts';

const METHOD = 'campaigns.list';
const Position = z.tuple([cursorAmount, cursorId]);

describe('a cursor', () => {
  it('reads back as the position that it was made from, whatever the limit is', () => {
    const amount = fc.bigInt({ min: -(10n ** 78n) + 1n, max: 10n ** 78n - 1n });
    const id = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(amount, id, fc.integer(), (key, campaignId, limit) => {
        const position = [String(key), String(campaignId)];
        const cursor = encodeCursor({ method: METHOD, input: { q: 'x', limit: 1 } }, position);
        expect(
          decodeCursor(
            { method: METHOD, input: { limit, cursor, q: 'x', levels: undefined } },
            Position,
          ),
        ).toEqual(position);
      }),
    );
  });

  it('rejects a cursor of another method or filter', () => {
    const cursor = encodeCursor({ method: METHOD, input: { q: 'x' } }, ['1', '1']);
    const others: [string, Record<string, unknown>][] = [
      ['receipts.recent', { q: 'x' }],
      [METHOD, {}],
      [METHOD, { q: 'y' }],
      [METHOD, { q: 'x', levels: 1 }],
    ];
    for (const [method, input] of others) {
      expect(() => decodeCursor({ method, input: { ...input, cursor } }, Position)).toThrow(
        HttpError,
      );
    }
  });

  it('reports any other text as a validation error', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
    );
    fc.assert(
      fc.property(anything, (cursor) => {
        expect(() => decodeCursor({ method: METHOD, input: { cursor } }, Position)).toThrow(
          HttpError,
        );
      }),
    );
  });

  it('contains no id beyond the range of its column', () => {
    expect(cursorId.safeParse('9223372036854775807').success).toBe(true);
    for (const id of ['9223372036854775808', '-1', '01', '', 'x', '1e3']) {
      expect(cursorId.safeParse(id).success, id).toBe(false);
    }
  });
});

describe('a page of a list', () => {
  const position = {
    saleId: cursorId,
    level: z
      .string()
      .regex(/^[1-9]$/)
      .transform(Number),
  };
  const input = { limit: 2, campaignId: '1' };
  const rows = [1, 2, 3].map((level) => ({ saleId: '7', level, amount: 5n }));

  it('begins where the cursor of the previous page ends', () => {
    const first = new ListPage('earnings.missed', input, position);
    expect(first.query).toEqual({ after: undefined, limit: 3 });
    const { items, nextCursor } = first.of(rows);
    expect(items).toEqual(rows.slice(0, 2));
    const scope = { method: 'earnings.missed', input };
    expect(nextCursor).toBe(encodeCursor(scope, ['7', '2']));
    const next = new ListPage('earnings.missed', { ...input, cursor: nextCursor }, position);
    expect(next.after).toEqual({ saleId: '7', level: 2 });
    expect(next.of(rows.slice(2))).toEqual({ items: rows.slice(2), nextCursor: null });
  });

  it('names the end of a row as the list says', () => {
    const page = new ListPage('earnings.missed', input, position);
    const found = page.of(rows, ({ amount, level }) => ({ saleId: amount, level }));
    expect(found.nextCursor).toBe(page.cursor({ saleId: '5', level: 2 }));
    expect(page.cursor(null)).toBeNull();
  });

  it('rejects a position with too few or too many values, or with one out of bounds', () => {
    for (const values of [['7'], ['7', '2', '1'], ['7', '0'], ['x', '2'], []]) {
      const cursor = encodeCursor({ method: 'earnings.missed', input }, values);
      const open = () => new ListPage('earnings.missed', { ...input, cursor }, position);
      expect(open, values.join()).toThrow(HttpError);
    }
  });
});
