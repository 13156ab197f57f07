import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from './create-client.ts';
import type { RetryOptions } from './retry.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A client whose service answers each request in turn, and the times of the requests in milliseconds. */
function clientOf(answers: readonly (() => Response)[], retry?: RetryOptions) {
  const times: number[] = [];
  const client = createClient({
    baseUrl: 'http://api.test',
    ...(retry && { retry }),
    fetch: async () => {
      const answer = answers[times.length];
      times.push(Date.now());
      if (answer === undefined) throw new TypeError('fetch failed');
      return answer();
    },
  });
  return { client, times };
}

const ok = () =>
  Response.json({ data: { items: [], nextCursor: null }, meta: { requestId: 'r1' } });

const refused =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ error: { code, message: 'No.', requestId: 'r1' } }, { status, headers });

const limited = (seconds: number) =>
  refused(429, 'RATE_LIMITED', { 'retry-after': String(seconds) });

/** Ends with the outcome of a call, after all of its pauses. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  const settled = call.then(
    () => 'ok',
    (error: unknown) => error,
  );
  await vi.advanceTimersByTimeAsync(120_000);
  return await settled;
}

describe('a read', () => {
  it.each([
    ['429', limited(0)],
    ['503', refused(503, 'NOT_READY')],
    ['502 of a proxy', () => new Response('<html>', { status: 502 })],
    [
      'no answer',
      () => {
        throw new TypeError('fetch failed');
      },
    ],
  ])('repeats a read after %s', async (_what, answer) => {
    const { client, times } = clientOf([answer, answer, ok]);
    expect(await outcomeOf(client.receipts.recent())).toBe('ok');
    expect(times).toHaveLength(3);
  });

  it('waits as long as Retry-After names', async () => {
    const { client, times } = clientOf([limited(7), ok]);
    expect(await outcomeOf(client.receipts.recent())).toBe('ok');
    expect(Number(times[1]) - Number(times[0])).toBeGreaterThanOrEqual(7_000);
  });

  it('repeats a read twice, and not at all if the service asks for a long pause', async () => {
    const away = clientOf([]);
    expect(await outcomeOf(away.client.receipts.recent())).toMatchObject({ code: 'NETWORK' });
    expect(away.times).toHaveLength(3);
    const busy = clientOf([limited(11), ok]);
    expect(await outcomeOf(busy.client.receipts.recent())).toMatchObject({ retryAfter: 11 });
    expect(busy.times).toHaveLength(1);
  });

  it('repeats a read as often as the options say', async () => {
    const never = clientOf([], { retries: 0 });
    await outcomeOf(never.client.receipts.recent());
    expect(never.times).toHaveLength(1);
    const patient = clientOf([limited(50), ok], { maxWaitSeconds: 60 });
    expect(await outcomeOf(patient.client.receipts.recent())).toBe('ok');
  });

  it.each([
    [400, 'VALIDATION_FAILED'],
    [404, 'NOT_FOUND'],
    [500, 'INTERNAL'],
    [501, 'METHOD_UNAVAILABLE'],
  ])('repeats no read after %i', async (status, code) => {
    const { client, times } = clientOf([refused(status, code)]);
    expect(await outcomeOf(client.receipts.recent())).toMatchObject({ status });
    expect(times).toHaveLength(1);
  });

  it('ends immediately when the caller gives up', async () => {
    const { client, times } = clientOf([limited(9), ok]);
    const controller = new AbortController();
    const call = client.receipts.recent({}, { signal: controller.signal });
    const outcome = call.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(100);
    controller.abort();
    expect(await outcome).toMatchObject({ name: 'ApiError', retryAfter: 9 });
    expect(times).toHaveLength(1);
  });
});

it('repeats no write: it may have taken effect', async () => {
  const { client, times } = clientOf([refused(503, 'NOT_READY'), ok]);
  expect(await outcomeOf(client.auth.signOut())).toMatchObject({ status: 503 });
  expect(times).toHaveLength(1);
});
