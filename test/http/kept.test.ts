import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import type { Answer } from '../../engine/http/handler.ts';
import { KeptAnswers } from '../../engine/http/kept/answers.ts';
import { isKept, steadyCallerOf, steadyDepsOf } from '../../engine/http/kept/methods.ts';
import { account } from '../support/history.ts';
import { ApiBench } from './support/bench.ts';
import { signedIn } from './support/session.ts';
import { tellProfiles, tellStory } from './support/story.ts';

const SNAPSHOT = /pg_current_snapshot/;

describe('answers that are given again', () => {
  let bench: ApiBench;
  let pool: postgres.Sql;
  let writer: Pool;
  const sent: string[] = [];

  beforeAll(async () => {
    bench = await ApiBench.open();
    const { chronicle } = tellStory();
    await bench.settle(chronicle.facts);
    await tellProfiles(bench.pool);
    pool = postgres(bench.databaseUrl, { max: 4, debug: (_connection, text) => sent.push(text) });
    writer = openPool(bench.databaseUrl, { max: 4 });
    await writer`create table public.counter (value int not null)`;
    await writer`insert into public.counter values (0)`;
  });
  afterAll(async () => {
    await Promise.all([pool.end(), writer.end()]);
    await bench.close();
  });
  beforeEach(() => {
    sent.length = 0;
  });

  /** The body without what belongs to the one request, and its id. */
  async function asked(app: ReturnType<ApiBench['app']>, path: string, cookie?: string) {
    const headers = cookie === undefined ? {} : { cookie };
    const answer = await app.request(path, { headers });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    const id = /"requestId":"([^"]+)"/.exec(text)?.[1] ?? '';
    return { id, text: text.replace(id, '') };
  }

  /** Asks until the answer is one that was kept: what was made at first is kept behind it. */
  async function keptIn(app: ReturnType<ApiBench['app']>, path: string) {
    for (let tries = 0; tries < 50; tries += 1) {
      sent.length = 0;
      const answer = await asked(app, path);
      if (sent.every((text) => SNAPSHOT.test(text))) return answer;
    }
    throw new Error(`${path} is never kept`);
  }

  it('are the same to the last character, and cost a look at the snapshot', async () => {
    const app = bench.app({ pool });
    const fresh = bench.app({ pool, keptMiB: 0 });
    const merchant = account(1_000);
    for (const path of [
      ...['/v1/campaigns', '/v1/campaigns?status=active&limit=1', '/v1/receipts'],
      ...['/v1/campaigns/1', '/v1/campaigns/1/stats', `/v1/merchants/${merchant}`],
    ]) {
      const made = await asked(app, path);
      const kept = await keptIn(app, path);
      expect(sent).toHaveLength(1);
      expect(kept.text).toBe(made.text);
      expect(kept.id).not.toBe(made.id);
      const anew = await asked(fresh, path);
      expect(anew.text).toBe(made.text);
    }
    const metrics = await (await app.request('/metrics')).text();
    const counted = /^tributary_kept_answers_total\{how="kept"\} (\d+)$/m.exec(metrics)?.[1];
    expect(Number(counted)).toBeGreaterThanOrEqual(6);
    expect(await (await fresh.request('/metrics')).text()).not.toContain('kept_answers');
  });

  it('are made anew as soon as anything is written, by whatever process', async () => {
    const apps = [bench.app({ pool }), bench.app()];
    for (let i = 0; i < 20; i += 1) {
      const name = `Name ${i}`;
      await writer`update commerce.merchant set name = ${name} where address = ${account(1_000)}`;
      for (const app of apps) {
        const { text } = await asked(app, `/v1/merchants/${account(1_000)}`);
        expect(text).toContain(name);
      }
    }
  });

  it('are those of the one who asks', async () => {
    const app = bench.app({ pool });
    const readers = await Promise.all(
      [account(11), account(12), account(14)].map(async (address) => {
        const { reading } = await signedIn(bench.deps, address);
        return { cookie: reading.cookie, own: (await asked(app, OWN, reading.cookie)).text };
      }),
    );
    expect(new Set(readers.map(({ own }) => own)).size).toBe(readers.length);
    for (let i = 0; i < 10; i += 1) {
      const found = await Promise.all(
        readers.map(async ({ cookie, own }) => ({ own, ...(await asked(app, OWN, cookie)) })),
      );
      for (const { own, text } of found) expect(text).toBe(own);
    }
    expect((await app.request(OWN)).status).toBe(401);
  });

  it('are never older than the question, with writers and readers at once', async () => {
    const kept = new KeptAnswers({ pool });
    const read = async (): Promise<Answer<number>> => {
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
        // Now and then it stays quiet for long enough that something is kept.
        if (committed % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 12));
      }
      writes = false;
    })();
    const reading = Array.from({ length: 12 }, async () => {
      while (writes) {
        const least = committed;
        const { data } = await kept.answer('counter', read);
        expect(Number(data)).toBeGreaterThanOrEqual(least);
        expect(Number(data)).toBeLessThanOrEqual(begun);
      }
    });
    await Promise.all([writing, ...reading]);
    const { counts } = kept;
    expect(
      Math.min(counts.kept, counts.joined, counts.made),
      JSON.stringify(counts),
    ).toBeGreaterThan(0);
  });

  it('are not kept where making them fails, and fail for nobody else', async () => {
    const kept = new KeptAnswers({ pool });
    await kept.answer('else', async () => ({ data: 'so that a snapshot is known' }));
    await expect(
      kept.answer('question', () => Promise.reject(new Error('just now'))),
    ).rejects.toThrow('just now');
    await expect(kept.answer('question', async () => ({ data: 'fine' }))).resolves.toMatchObject({
      data: '"fine"',
    });
  });

  it('take no more memory than they may: one that is too long is made each time', async () => {
    const kept = new KeptAnswers({ pool, keptMiB: 1 });
    const long = 'x'.repeat(2 ** 20);
    for (let i = 0; i < 3; i += 1) {
      await kept.answer('long', async () => ({ data: long }));
      await settled();
    }
    expect(kept.counts).toEqual({ kept: 0, joined: 0, made: 3 });
    const half = 'x'.repeat(2 ** 19);
    for (const question of ['a', 'b', 'c', 'a']) {
      await kept.answer(question, async () => ({ data: half }));
      await settled();
    }
    expect(kept.counts).toMatchObject({ kept: 0, made: 7 });
  });

  it('cannot hang on the clock, the chain, or where the caller is', async () => {
    const deps = steadyDepsOf(bench.deps);
    expect(deps.pool).toBe(bench.deps.pool);
    for (const name of ['clock', 'client', 'queueStats', 'files', 'limits', 'jobs'] as const) {
      expect(() => deps[name]).toThrow(`must not hang on «${name}»`);
    }
    const caller = steadyCallerOf({
      ip: '10.0.0.1',
      origin: undefined,
      userAgent: 'browser',
      session: undefined,
    });
    expect(caller.session).toBeUndefined();
    expect(() => caller.ip).toThrow('must not hang on «ip»');
    expect(['receipts.verify', 'checkout.preview', 'auth.session'].filter(isKept)).toEqual([]);
  });
});

const OWN = '/v1/me/earnings';

/** Keeping goes on behind the answer: a statement later it is done. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
}
