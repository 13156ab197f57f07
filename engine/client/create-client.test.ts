import { describe, expect, it } from 'vitest';
import type { Method } from '../contract/define.ts';
import { registry } from '../contract/registry.ts';
import { createClient } from './create-client.ts';
import { ApiError } from './error.ts';

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
  readonly headers: Headers;
}

/** A client whose service gives these answers, one after the other, and what it was sent. */
function clientOf(...answers: Response[]) {
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: 'http://api.test/',
    origin: 'https://shop.example',
    retry: { retries: 0 },
    fetch: async (url, init = {}) => {
      sent.push({ url: String(url), init, headers: new Headers(init.headers) });
      return answers.shift() ?? ok({});
    },
  });
  return { client, sent };
}

function ok(data: unknown, headers: Record<string, string> = {}): Response {
  return Response.json({ data, meta: { requestId: 'r1' } }, { headers });
}

const token = { csrfToken: 'c1' };

describe('createClient', () => {
  it('offers every method of the registry', () => {
    const { client } = clientOf();
    for (const [resource, group] of Object.entries(registry)) {
      const calls: object = Reflect.get(client, resource);
      for (const [key, method] of Object.entries<Method>(group)) {
        expect(typeof Reflect.get(calls, key), method.name).toBe('function');
      }
    }
  });

  it('sends cookies with all calls, and CSRF token and origin only with those that need them', async () => {
    const { client, sent } = clientOf();
    client.useSession({ csrfToken: 'c1', cookie: '__Host-s=v' });
    await client.receipts.recent();
    await client.team.members();
    await client.team.remove({ id: 'm1' });
    expect(sent.map(({ init }) => init.credentials)).toEqual(['same-origin', 'include', 'include']);
    expect(sent.map(({ headers }) => headers.get('cookie'))).toEqual([
      '__Host-s=v',
      '__Host-s=v',
      '__Host-s=v',
    ]);
    expect(sent.map(({ headers }) => headers.get('x-csrf-token'))).toEqual([null, null, 'c1']);
    expect(sent.map(({ headers }) => headers.get('origin'))).toEqual([
      null,
      null,
      'https://shop.example',
    ]);
    client.useSession(null);
    await client.team.remove({ id: 'm1' });
    expect(sent[3]?.headers.get('x-csrf-token')).toBeNull();
    expect(sent[3]?.headers.get('cookie')).toBeNull();
  });

  it('sends cookies to another origin with a public read only if it depends on the session', async () => {
    const { client, sent } = clientOf();
    await client.campaigns.list();
    await client.campaigns.list({ excludeJoined: false });
    await client.campaigns.list({ excludeJoined: true });
    await client.auth.session();
    client.useSession({ csrfToken: 'c1' });
    await client.campaigns.list();
    client.useSession(null);
    await client.campaigns.list();
    expect(sent.map(({ init }) => init.credentials)).toEqual([
      ...['same-origin', 'same-origin', 'include', 'include'],
      ...['include', 'same-origin'],
    ]);
  });

  it('stores a cookie of a write that failed, and sends it with public reads', async () => {
    const error = { code: 'NOT_READY', message: 'Wait.', requestId: 'r1' };
    const headers = { 'set-cookie': '__Host-written=unknown; Path=/; Max-Age=60; Secure' };
    const { client, sent } = clientOf(Response.json({ error }, { status: 503, headers }));
    client.useSession({ csrfToken: 'c1' });
    await expect(client.team.remove({ id: 'm1' })).rejects.toMatchObject({ status: 503 });
    await client.receipts.recent();
    expect(sent[1]?.headers.get('cookie')).toBe('__Host-written=unknown');
  });

  it('stores the session at sign-in and removes it at sign-out', async () => {
    const cookie = { 'set-cookie': '__Host-s=v1; Path=/; Max-Age=60; Secure; HttpOnly' };
    const cleared = { 'set-cookie': '__Host-s=; Path=/; Max-Age=0; Secure; HttpOnly' };
    const { client, sent } = clientOf(ok(token, cookie), ok({}), ok({}, cleared), ok({}));
    await client.auth.signIn({ message: 'm', signature: '0xab' });
    await client.team.remove({ id: 'm1' });
    await client.auth.signOut();
    await client.team.members();
    expect(sent[1]?.headers.get('cookie')).toBe('__Host-s=v1');
    expect(sent[1]?.headers.get('x-csrf-token')).toBe('c1');
    expect(sent[3]?.headers.get('cookie')).toBeNull();
  });

  it('throws one error with code, status, requestId, Retry-After and issues', async () => {
    const issues = [{ path: 'limit', message: 'is too large' }];
    const error = { code: 'RATE_LIMITED', message: 'Wait.', requestId: 'r9', issues };
    const limited = Response.json({ error }, { status: 429, headers: { 'retry-after': '7' } });
    const { client } = clientOf(limited, new Response('<html>', { status: 502 }));
    const failure = await client.campaigns.list().catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
      requestId: 'r9',
      retryAfter: 7,
      issues,
    });
    await expect(client.campaigns.list()).rejects.toMatchObject({
      code: 'BAD_RESPONSE',
      status: 502,
    });
  });

  it('downloads with the session from the service itself, whatever host the link names', async () => {
    const expired = Response.json(
      { error: { code: 'NOT_FOUND', message: 'Gone.', requestId: 'r1' } },
      { status: 404 },
    );
    const { client, sent } = clientOf(new Response('a,b'), expired);
    client.useSession({ csrfToken: 'c1', cookie: '__Host-s=v' });
    const link = 'https://public.example/reports/t1?x=1';
    expect(await (await client.download(link)).text()).toBe('a,b');
    expect(sent[0]?.url).toBe('http://api.test/reports/t1?x=1');
    expect(sent[0]?.headers.get('cookie')).toBe('__Host-s=v');
    await expect(client.download(link)).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 });
  });

  it('iterates over the pages of a collection', async () => {
    const { client, sent } = clientOf(
      ok({ items: [1, 2], nextCursor: 'n1' }),
      ok({ items: [3], nextCursor: null }),
    );
    const seen: unknown[] = [];
    for await (const item of client.pages(client.earnings.claims, { limit: 2 })) seen.push(item);
    expect(seen).toEqual([1, 2, 3]);
    expect(sent.map(({ url }) => url)).toEqual([
      'http://api.test/v1/me/claims?limit=2',
      'http://api.test/v1/me/claims?limit=2&cursor=n1',
    ]);
  });

  it('iterates over the pages of events until there are no more, and shows what a reorg replaced', async () => {
    const page = { retracted: null, restarted: [] };
    const first = { ...page, items: [1, 2], after: 'a1', more: true };
    const empty = { ...page, items: [], after: 'a2', more: true };
    const last = { ...page, items: [3], after: 'a3', more: false, retracted: { afterBlock: '9' } };
    const { client, sent } = clientOf(ok(first), ok(empty), ok(last));
    const seen: unknown[] = [];
    for await (const one of client.eventPages({ after: 'a0', limit: 2 })) seen.push(one);
    expect(seen).toEqual([first, empty, last]);
    expect(sent.map(({ url }) => url)).toEqual([
      'http://api.test/v1/events?after=a0&limit=2',
      'http://api.test/v1/events?after=a1&limit=2',
      'http://api.test/v1/events?after=a2&limit=2',
    ]);
  });
});
