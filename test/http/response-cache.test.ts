import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { methods } from '../../engine/contract/registry.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { ResponseCache } from '../../engine/http/cache/response-cache.ts';
import type { CacheableDeps, CallerOf, MethodResult } from '../../engine/http/handler-types.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { signedIn } from './support/session.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const SNAPSHOT = /pg_current_snapshot/;

describe('cached responses', () => {
  let fixture: ApiFixture;
  let pool: Pool;
  let writer: Pool;
  const sent: string[] = [];

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const { history } = smallHistory();
    await fixture.settle(history.facts);
    await saveProfiles(fixture.pool);
    pool = openPool(fixture.databaseUrl, { max: 4, onStatement: (text) => sent.push(text) });
    writer = openPool(fixture.databaseUrl, { max: 4 });
    await writer`create table public.counter (value int not null)`;
    await writer`insert into public.counter values (0)`;
  });
  afterAll(async () => {
    await Promise.all([pool.end(), writer.end()]);
    await fixture.close();
  });
  beforeEach(() => {
    sent.length = 0;
  });

  /** The body without what belongs to the one request, and its id. */
  async function requested(app: ReturnType<ApiFixture['app']>, path: string, cookie?: string) {
    const headers = cookie === undefined ? {} : { cookie };
    const answer = await app.request(path, { headers });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    const id = /"requestId":"([^"]+)"/.exec(text)?.[1] ?? '';
    return { id, text: text.replace(id, '') };
  }

  /** Repeats the request until the response comes from the cache. */
  async function cachedResponse(app: ReturnType<ApiFixture['app']>, path: string) {
    for (let tries = 0; tries < 50; tries += 1) {
      sent.length = 0;
      const answer = await requested(app, path);
      if (sent.every((text) => SNAPSHOT.test(text))) return answer;
    }
    throw new Error(`${path} is never cached`);
  }

  it('returns cached responses that are identical, and cost one read of the snapshot', async () => {
    const app = fixture.app({ pool });
    const fresh = fixture.app({ pool, cacheMiB: 0 });
    const merchant = account(1_000);
    for (const path of [
      ...['/v1/campaigns', '/v1/campaigns?status=active&limit=1', '/v1/receipts'],
      ...['/v1/campaigns/1', '/v1/campaigns/1/stats', `/v1/merchants/${merchant}`],
    ]) {
      const made = await requested(app, path);
      const cached = await cachedResponse(app, path);
      expect(sent).toHaveLength(1);
      expect(cached.text).toBe(made.text);
      expect(cached.id).not.toBe(made.id);
      const recomputed = await requested(fresh, path);
      expect(recomputed.text).toBe(made.text);
    }
    const metrics = await (await app.request('/metrics')).text();
    const counted = /^tributary_cacheable_responses_total\{origin="cached"\} (\d+)$/m.exec(
      metrics,
    )?.[1];
    expect(Number(counted)).toBeGreaterThanOrEqual(6);
    expect(await (await fresh.request('/metrics')).text()).not.toContain('cacheable_responses');
  });

  it('recomputes a response as soon as any process writes anything', async () => {
    const apps = [fixture.app({ pool }), fixture.app()];
    for (let i = 0; i < 20; i += 1) {
      const name = `Name ${i}`;
      await writer`update commerce.merchant set name = ${name} where address = ${account(1_000)}`;
      for (const app of apps) {
        const { text } = await requested(app, `/v1/merchants/${account(1_000)}`);
        expect(text).toContain(name);
      }
    }
  });

  it('caches the responses of each caller separately', async () => {
    const app = fixture.app({ pool });
    const readers = await Promise.all(
      [account(11), account(12), account(14)].map(async (address) => {
        const { reading } = await signedIn(fixture.deps, address);
        return { cookie: reading.cookie, own: (await requested(app, OWN, reading.cookie)).text };
      }),
    );
    expect(new Set(readers.map(({ own }) => own)).size).toBe(readers.length);
    for (let i = 0; i < 10; i += 1) {
      const found = await Promise.all(
        readers.map(async ({ cookie, own }) => ({ own, ...(await requested(app, OWN, cookie)) })),
      );
      for (const { own, text } of found) expect(text).toBe(own);
    }
    expect((await app.request(OWN)).status).toBe(401);
  });

  it('returns no response older than the request, with concurrent writers and readers', async () => {
    const cache = new ResponseCache({ pool });
    const read = async (): Promise<MethodResult<number>> => {
      const [row] = await pool<{ value: number }[]>`select value from public.counter`;
      return { data: row?.value ?? Number.NaN };
    };
    let begun = 0;
    let committed = 0;
    let writes = true;
    const writing = (async () => {
      while (committed < 150) {
        begun += 1;
        await writer`update public.counter set value = value + 1`;
        committed += 1;
        // Now and then it stays quiet for long enough that something is stored.
        if (committed % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 12));
      }
      writes = false;
    })();
    const reading = Array.from({ length: 12 }, async () => {
      while (writes) {
        const least = committed;
        const { data } = await cache.response('counter', read);
        expect(Number(data)).toBeGreaterThanOrEqual(least);
        expect(Number(data)).toBeLessThanOrEqual(begun);
      }
    });
    await Promise.all([writing, ...reading]);
    const { counts } = cache;
    expect(
      Math.min(counts.cached, counts.shared, counts.computed),
      JSON.stringify(counts),
    ).toBeGreaterThan(0);
  });

  it('caches no failed computation, which fails no other request', async () => {
    const cache = new ResponseCache({ pool });
    await cache.response('else', async () => ({ data: 'so that a snapshot is known' }));
    await expect(
      cache.response('question', () => Promise.reject(new Error('just now'))),
    ).rejects.toThrow('just now');
    await expect(cache.response('question', async () => ({ data: 'fine' }))).resolves.toMatchObject(
      {
        data: '"fine"',
      },
    );
  });

  it('limits the memory of the cache, and recomputes a response that is too long each time', async () => {
    const cache = new ResponseCache({ pool, cacheMiB: 1 });
    const long = 'x'.repeat(2 ** 20);
    for (let i = 0; i < 3; i += 1) {
      await cache.response('long', async () => ({ data: long }));
      await settled();
    }
    expect(cache.counts).toEqual({ cached: 0, shared: 0, computed: 3 });
    const half = 'x'.repeat(2 ** 19);
    for (const question of ['a', 'b', 'c', 'a']) {
      await cache.response(question, async () => ({ data: half }));
      await settled();
    }
    expect(cache.counts).toMatchObject({ cached: 0, computed: 7 });
  });

  it('compiles only if cached responses cannot see the clock, the chain, or where the caller is', () => {
    expectTypeOf<CacheableDeps>().toHaveProperty('pool');
    type Hidden = 'clock' | 'client' | 'queueStats' | 'files' | 'limits' | 'jobs';
    expectTypeOf<Extract<keyof CacheableDeps, Hidden>>().toBeNever();
    expectTypeOf<keyof CallerOf<'campaigns.mine'>>().toEqualTypeOf<
      'account' | 'merchant' | 'role'
    >();
    const cached = methods.filter(({ serving }) => serving?.cached).map(({ name }) => name);
    expect(cached).toEqual(expect.arrayContaining(['campaigns.list', 'earnings.summary']));
    for (const name of ['receipts.verify', 'checkout.preview', 'auth.session']) {
      expect(cached).not.toContain(name);
    }
  });
});

const OWN = '/v1/me/earnings';

/** Keeping goes on behind the answer: a statement later it is done. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
}
