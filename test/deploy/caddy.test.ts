import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../engine/client/index.ts';
import { openPool } from '../../engine/db/connection.ts';
import { inheritedEnv } from '../../engine/env.ts';
import { MAX_FILE_BYTES } from '../../engine/http/files/read-form.ts';
import { makeRateLimits } from '../../engine/http/limits/rate-limits.ts';
import { type ApiServer, serveApi } from '../../engine/http/serve.ts';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { HistoryBuilder } from '../http/support/facts.ts';
import { named } from '../http/support/images.ts';
import {
  FollowingClient,
  policy,
  untilAnswered,
  WritingClient,
} from '../http/support/replacement-clients.ts';
import { type SignedIn, signedIn } from '../http/support/session.ts';
import { smallHistory } from '../http/support/small-history.ts';
import { CADDYFILE, caddyAvailable, startCaddy, type TestCaddy } from '../support/caddy.ts';
import { Door } from '../support/door.ts';
import { account } from '../support/history.ts';
import { holdLocks, waitingSessions } from '../support/locks.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { waitFor } from '../support/wait-for.ts';

/** Requests per minute of one address in these tests. */
const PER_MINUTE = 3_000;

describe.skipIf(!caddyAvailable)('deploy/Caddyfile in front of two APIs', () => {
  let fixture: ApiFixture;
  let ledger: SettleFixture;
  let caddy: TestCaddy;
  let me: SignedIn;
  const apis: ApiServer[] = [];
  const history = new HistoryBuilder();

  /** Writes events of the chain, and settles them. */
  const settle = async (write: () => void) => {
    const before = history.facts.length;
    write();
    await ledger.index(history.facts.slice(before));
    await ledger.settle();
  };

  const serve = async (port = 0) => {
    const { pool, keys } = fixture.deps;
    const api = await serveApi({
      ...fixture.deps,
      ...{ port, host: '127.0.0.1', trustedProxies: 1 },
      limits: makeRateLimits({
        ...{ pool, keys, prefix: 'caddy', perMinute: PER_MINUTE },
        redis: undefined,
      }),
    });
    apis.push(api);
    return api;
  };

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    ledger = new SettleFixture(fixture.pool);
    await settle(() => {
      history.create('1');
      history.schedule('1');
      history.fund('1', 1_000_000n);
    });
    const client = await fixture.clientAs(account(1));
    await client.merchants.setup({ slug: 'shop', name: 'Shop' });
    const draft = { version: 0, status: 'draft', title: 'T', summary: '' } as const;
    const product = { ...draft, category: 'x', fulfillmentMode: 'manual' } as const;
    await client.products.save({ id: 'file', product });
    me = await signedIn(fixture.deps, account(1));
    await serve();
    await serve();
    caddy = await startCaddy(apis.map(({ url }) => new URL(url).host));
  });
  afterAll(async () => {
    await caddy?.stop();
    for (const api of apis) await api.stop();
    await fixture.close();
  });

  it('accepts the configuration with its defaults, and for a public name', () => {
    for (const env of [{}, { TRIBUTARY_SITE: 'tributary.example', CADDY_ADMIN: 'off' }]) {
      const args = ['validate', '--adapter', 'caddyfile', '--config', CADDYFILE];
      const { status, stderr } = spawnSync('caddy', args, {
        encoding: 'utf8',
        env: { ...inheritedEnv(), ...env },
      });
      expect(status, stderr).toBe(0);
    }
  });

  it('forwards reads and pages to the APIs, and keeps metrics from the public', async () => {
    const response = await fetch(`${caddy.url}/v1/campaigns`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: { items: [{ campaignId: '1' }] } });
    for (const path of ['/metrics', '/metrics/', '/metrics?x=1', '/metrics/x']) {
      expect((await fetch(caddy.url + path)).status, path).toBe(404);
    }
    // The API itself would serve it here.
    expect((await fetch(`${apis[0]?.url}/metrics`)).status).toBe(200);
  });

  it('gives the APIs the address of the client, and not one that the client made up', async () => {
    const limitOf = async (localAddress: string, forwarded: string) => {
      const outgoing = request(`${caddy.url}/v1/campaigns`, {
        localAddress,
        headers: { 'x-forwarded-for': forwarded },
      });
      outgoing.end();
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      response.resume();
      const [, remaining] = /r=(\d+)/.exec(String(response.headers.ratelimit)) ?? [];
      return Number(remaining);
    };
    const first = await limitOf('127.0.0.77', '203.0.113.1');
    // Each API counts for itself before they agree.
    for (let i = 2; i < 6; i += 1) await limitOf('127.0.0.77', `203.0.113.${i}`);
    expect(await limitOf('127.0.0.77', '203.0.113.6')).toBeLessThan(first - 1);
    expect(await limitOf('127.0.0.78', '203.0.113.6')).toBe(first);
  });

  it('takes files of 10 MiB, and refuses larger bodies with 413', async () => {
    const upload = async (size: number) => {
      const form = new FormData();
      form.append('file', named(new Blob([zip(size)]), 'a.zip', 'application/zip'));
      const response = await fetch(`${caddy.url}/v1/merchant/products/file/assets`, {
        ...{ method: 'POST', headers: me.writing, body: form },
      });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await upload(MAX_FILE_BYTES)).toBe(200);
    expect(await upload(MAX_FILE_BYTES + 10_000)).toBe(413);
    expect(await upload(12 * 1024 * 1024)).toBe(413);
  });

  it('passes each message of a stream on immediately', async () => {
    const stopping = new AbortController();
    const response = await fetch(`${caddy.url}/v1/stream`, { signal: stopping.signal });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => {});
    await waitFor(() => text.length > 0, { what: 'the beginning of the stream' });
    const before = text.length;
    await settle(() => {
      history.nextBlock();
      history.create('2');
    });
    await waitFor(() => text.slice(before).includes('"2"'), {
      ...{ what: 'the change to arrive', timeout: 8_000 },
    });
    stopping.abort();
    await reading;
  });

  it('hides from clients that an API dies, and that APIs are replaced', async () => {
    const writer = new WritingClient(clientOver(caddy.url, me), fixture.pool);
    const reader = await FollowingClient.open(createClient({ baseUrl: caddy.url }), fixture.pool);
    const change = (campaignId: string) =>
      settle(() => {
        history.nextBlock();
        history.create(campaignId);
      });
    let running = true;
    const answered = { ok: 0, bad: [] as string[] };
    const clients = Array.from({ length: 8 }, async (_, i) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: `127.0.1.${i + 1}` });
      while (running) {
        const status = await statusOf(`${caddy.url}/v1/campaigns?limit=2`, agent).catch(String);
        if (status === 200) answered.ok += 1;
        else answered.bad.push(String(status));
        // Less than PER_MINUTE.
        await setTimeout(40);
      }
      agent.destroy();
    });
    const more = async (count: number) => {
      const target = answered.ok + count;
      await waitFor(() => answered.ok >= target, { what: `${count} more answers` });
    };
    await more(100);
    const [first, second] = apis.splice(0);
    const portOf = (api: ApiServer | undefined) => Number(new URL(api?.url ?? '').port);
    // Without a drain, as after an error: the port refuses.
    await Promise.all([first?.stop({ drainMs: 0, partingMs: 0 }), change('3')]);
    await Promise.all([more(100), writer.more(20)]);
    await change('4');
    const third = await serve(portOf(first));
    await waitFor(async () => (await fetch(`${third.url}/ready`)).status === 200, {
      what: 'ready',
    });
    // Caddy asks once a second.
    await setTimeout(2_500);
    const { length: repeated } = writer.repeated;
    await Promise.all([second?.stop({ drainMs: 5_000, partingMs: 2_000 }), change('5')]);
    await Promise.all([more(100), writer.more(20)]);
    await change('6');
    running = false;
    await Promise.all(clients);
    expect(answered.bad).toEqual([]);
    await writer.stop();
    // An API that drains breaks no write.
    expect(writer.repeated.slice(repeated)).toEqual([]);
    await reader.stop();
    expect(reader.connections).toBeGreaterThan(1);
  });
});

describe.skipIf(!caddyAvailable)('a write whose API is cut off before it answers', () => {
  it('takes effect once, if the client sends it again with its Idempotency-Key', async () => {
    const fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    const { pool, deps } = fixture;
    const [first, second] = [
      await serveApi({ ...deps, port: 0, host: '127.0.0.1', trustedProxies: 1 }),
      await serveApi({ ...deps, port: 0, host: '127.0.0.1', trustedProxies: 1 }),
    ];
    const door = await Door.open(first.url);
    const caddy = await startCaddy([new URL(door.url).host, new URL(second.url).host]);
    const locking = openPool(fixture.databaseUrl, { max: 2 });
    try {
      const merchant = await fixture.clientAs(account(1));
      await merchant.merchants.setup({ slug: 'shop', name: 'Shop' });
      const shop = clientOver(caddy.url, await signedIn(deps, account(1)));
      const repeated: number[] = [];
      const unlock = await holdLocks(
        locking,
        (sql) => sql`lock table commerce.policy_template in exclusive mode`,
      );
      // Caddy takes turns, so each API gets one.
      const names = ['One', 'Other'];
      const writes = names.map((name) =>
        untilAnswered(
          () => shop.studio.saveTemplate({ name, policy }, { idempotencyKey: name }),
          ({ status }) => repeated.push(status),
        ),
      );
      await waitFor(async () => (await waitingSessions(locking)) === 2, { what: 'both writes' });
      await door.shut();
      // The API itself goes on with it, as Caddy and the client cannot know.
      await waitFor(() => repeated.includes(409), { what: 'a repetition at the other API' });
      await unlock();
      const answers = await Promise.all(writes);
      // Caddy does not send a POST again that an API may have carried out.
      expect([repeated[0], new Set(repeated.slice(1))]).toEqual([502, new Set([409])]);
      const stored = await pool`select name, id from commerce.policy_template order by name`;
      expect(stored).toEqual(names.map((name, i) => ({ name, id: answers[i]?.data.id })));
    } finally {
      await caddy.stop();
      await door.shut();
      await first.stop({ drainMs: 0, partingMs: 0 });
      await second.stop({ drainMs: 0, partingMs: 0 });
      await locking.end();
      await fixture.close();
    }
  });
});

describe.skipIf(!caddyAvailable)('an API that breaks a request', () => {
  it('goes on to serve others, also if it is the only one', async () => {
    const fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    const { deps } = fixture;
    const api = await serveApi({ ...deps, port: 0, host: '127.0.0.1', trustedProxies: 1 });
    const door = await Door.open(api.url);
    const caddy = await startCaddy([new URL(door.url).host]);
    const locking = openPool(fixture.databaseUrl, { max: 2 });
    try {
      const merchant = await fixture.clientAs(account(1));
      await merchant.merchants.setup({ slug: 'shop', name: 'Shop' });
      const shop = clientOver(caddy.url, await signedIn(deps, account(1)));
      const unlock = await holdLocks(
        locking,
        (sql) => sql`lock table commerce.policy_template in exclusive mode`,
      );
      const broken = expect(shop.studio.saveTemplate({ name: 'One', policy })).rejects.toThrow(
        '502',
      );
      await waitFor(async () => (await waitingSessions(locking)) === 1, { what: 'the write' });
      await door.shut();
      await door.reopen();
      await broken;
      await unlock();
      // Caddy would wait with a GET until there is an API, but not with a POST.
      await shop.studio.saveTemplate({ name: 'Other', policy });
    } finally {
      await caddy.stop();
      await door.shut();
      await api.stop({ drainMs: 0, partingMs: 0 });
      await locking.end();
      await fixture.close();
    }
  });
});

/** A client with that session, which writes as a page of its origin does. */
function clientOver(baseUrl: string, { csrfToken, reading, writing }: SignedIn): Client {
  const session = { csrfToken, cookie: reading.cookie };
  return createClient({ baseUrl, origin: writing.origin ?? '', session });
}

async function statusOf(url: string, agent: Agent): Promise<number | undefined> {
  const outgoing = request(url, { agent });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

/** A file of that size that begins as a zip archive without entries does. */
function zip(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.write('PK\x05\x06', 'latin1');
  return bytes;
}
