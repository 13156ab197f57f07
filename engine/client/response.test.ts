import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ErrorBody, ResponseMeta } from '../contract/envelope.ts';
import { ApiError } from './error.ts';
import { readResponse } from './response.ts';

const Success = z.object({ data: z.unknown(), meta: ResponseMeta });

const token = { address: `0x${'ab'.repeat(20)}`, symbol: 'USDC', decimals: 6 };
const chain = {
  chainId: 1,
  blockNumber: '7',
  blockTimestamp: '2026-01-01T00:00:00Z',
  finality: 'safe',
  stopped: {
    count: 1,
    campaigns: [{ campaignId: '1', since: '2026-01-01T00:00:00Z', reason: 'A fault.' }],
  },
};
const success = {
  data: 1,
  meta: { requestId: 'r', chain: { ...chain, reorg: true }, token, otherTokens: [token] },
};
const failure = {
  error: {
    code: 'NOT_FOUND',
    message: 'There is none.',
    requestId: 'r',
    issues: [{ path: 'id', message: 'is unknown' }],
  },
};

/** All values that differ from a JSON value at one place, where it is left out or another value. */
function* variants(value: unknown): Generator<unknown> {
  for (const other of [undefined, null, 0, -1, 1.5, '', 'x', '01', 'demo-1', [], {}]) yield other;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    for (const other of variants(member)) {
      if (Array.isArray(value)) yield value.map((item, i) => (String(i) === name ? other : item));
      else yield { ...value, [name]: other };
    }
  }
}

async function isRead(body: unknown): Promise<boolean> {
  return await readResponse(Response.json(body ?? null)).then(
    () => true,
    () => false,
  );
}

describe('readResponse', () => {
  it('reads the envelope as its schema does, whatever member of it is changed', async () => {
    expect(await isRead(success)).toBe(true);
    const seen = { read: 0, refused: 0 };
    for (const body of variants(success)) {
      const sent: unknown = JSON.parse(JSON.stringify(body ?? null));
      const expected = Success.safeParse(sent).success;
      seen[expected ? 'read' : 'refused'] += 1;
      expect(`${JSON.stringify(sent)} ${await isRead(sent)}`).toBe(
        `${JSON.stringify(sent)} ${expected}`,
      );
    }
    expect(seen).toMatchObject({ read: expect.any(Number), refused: expect.any(Number) });
    expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(10);
  });

  it('takes members that a newer service may send', async () => {
    const newer = { ...success, more: 1, meta: { ...success.meta, more: 1 } };
    expect(await isRead(newer)).toBe(true);
  });

  it('throws one error for each error body, and BAD_RESPONSE for anything else', async () => {
    for (const body of variants(failure)) {
      const sent: unknown = JSON.parse(JSON.stringify(body ?? null));
      const error = await readResponse(Response.json(sent, { status: 404 })).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(ApiError);
      // A newer service may have codes that this client does not know.
      const asKnown = z.object({ error: z.looseObject({ code: z.string() }) }).safeParse(sent);
      const known = asKnown.success
        ? { error: { ...asKnown.data.error, code: 'NOT_FOUND' } }
        : undefined;
      const isError =
        ErrorBody.safeParse(known).success && /^[A-Z]/.test(asKnown.data?.error.code ?? '');
      expect([sent, (error as ApiError).code === 'BAD_RESPONSE']).toEqual([sent, !isError]);
    }
  });

  it('returns or throws an ApiError for any JSON at all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.constantFrom(200, 404, 500), async (body, status) => {
        const result = await readResponse(Response.json(body, { status })).catch(
          (error: unknown) => error,
        );
        expect(result instanceof ApiError || status === 200).toBe(true);
      }),
    );
  });
});
