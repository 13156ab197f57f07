import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type StreamUpdate } from '../../engine/client/index.ts';
import { ErrorBody } from '../../engine/contract/envelope.ts';
import type { Fact } from '../../engine/core/events.ts';
import { forgetChanges } from '../../engine/db/write/changes.ts';
import { serveApi } from '../../engine/http/serve.ts';
import { StreamHub } from '../../engine/http/stream/hub.ts';
import type { StreamSettings } from '../../engine/http/stream/settings.ts';
import { account, hash } from '../support/history.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { StreamWatch } from './support/stream-watch.ts';

const BUYER = account(500);
/** Owns node 1: level 1 of each sale. */
const OWNER = account(11);

describe('the stream', () => {
  let fixture: ApiFixture;
  let ledger: SettleFixture;
  let sales = 0;
  /** Campaigns 1 and 2, and what comes next. */
  const history = new HistoryBuilder();

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    ledger = new SettleFixture(fixture.pool);
    for (const campaignId of ['1', '2']) {
      history.create(campaignId);
      history.schedule(campaignId);
      history.fund(campaignId, 10_000_000n);
    }
    history.join('1', '1');
    await settleNew();
  });
  afterAll(() => fixture.close());

  let indexed = 0;

  /** Settles what was written since. */
  async function settleNew(): Promise<void> {
    await ledger.index(history.facts.slice(indexed));
    indexed = history.facts.length;
    await ledger.settle();
  }

  /** Settles a block with a sale of that campaign: by node 1 in the first, direct in the other. */
  async function sell(campaignId: string): Promise<string> {
    history.nextBlock();
    sales += 1;
    const saleId = String(sales);
    const own = { buyer: BUYER, nodeId: '1', pool: 100_000n, shares: [100_000n] };
    const direct = { buyer: account(501), pool: 0n, shares: [] };
    history.sell(campaignId, saleId, campaignId === '1' ? own : direct);
    await settleNew();
    return saleId;
  }

  /** Replaces the newest block by another with the same in it, or with nothing. */
  async function replaceNewest(change: (fact: Fact) => Fact): Promise<void> {
    const { blockNumber } = history.facts.at(-1) ?? { blockNumber: 0 };
    const at = history.facts.findIndex((fact) => fact.blockNumber === blockNumber);
    const replaced = history.facts.splice(at).map(change);
    history.facts.push(...replaced);
    await ledger.index(replaced);
    await ledger.settle();
  }

  function hubWith(settings: Partial<StreamSettings>): StreamHub {
    return new StreamHub({ ...fixture.deps, settings });
  }

  it('sends hello with its position, and then each settled change once, in order', async () => {
    const watch = await StreamWatch.open(fixture.app());
    const hello = await watch.nextOf('hello');
    expect(hello.data.resumed).toBe(false);
    expect(hello.data.heads.settled.number).toBe(String(history.block));
    const first = await sell('1');
    const second = await sell('2');
    const changes = [await watch.nextOf('settled'), await watch.nextOf('settled')];
    expect(changes.map(({ data }) => data.events.map(({ saleId }) => saleId))).toEqual([
      [first],
      [second],
    ]);
    expect(changes.map(({ data }) => data.sequence)).toEqual([
      hello.data.sequence + 1,
      hello.data.sequence + 2,
    ]);
    expect(changes[0]?.data).toMatchObject({
      campaignId: '1',
      events: [
        {
          ...{ name: 'SaleRecorded', accounts: [OWNER, BUYER].sort(), logIndex: 0 },
          ...{ amount: '1000000', at: new Date((history.time - 12) * 1_000).toISOString() },
        },
      ],
    });
    const head = await watch.nextOf('head');
    expect(head.id).toBe(changes[1]?.id);
    expect(head.data.heads).toMatchObject({
      settled: { number: String(history.block) },
      lagBlocks: 0,
    });
    await watch.close();
  });

  it('retracts what a reorg replaced, and sends what replaced it', async () => {
    await sell('1');
    const watch = await StreamWatch.open(fixture.app());
    await watch.nextOf('hello');
    await replaceNewest((fact) => ({ ...fact, blockHash: hash(`another ${fact.blockNumber}`) }));
    const retracted = await watch.nextOf('retracted');
    const back = await watch.nextOf('settled');
    expect(retracted.data).toMatchObject({ campaignId: '1', afterSeq: back.data.fromSeq - 1 });
    expect(back.data.events[0]?.blockHash).toBe(hash(`another ${history.block}`));
    expect(back.data.sequence).toBe(retracted.data.sequence + 1);
    await watch.close();
  });

  it('resumes from an id, and leaves out changes that were retracted since, but sends the retraction', async () => {
    const before = await StreamWatch.open(fixture.app());
    const { id } = await before.nextOf('hello');
    await before.close();
    const remaining = await sell('2');
    await sell('1');
    await replaceNewest((fact) => ({ ...fact, blockHash: hash(`third ${fact.blockNumber}`) }));
    const last = await sell('2');
    // No reader was connected meanwhile: all of it comes from the database.
    const app = fixture.app();
    const watch = await StreamWatch.open(app, { lastEventId: id });
    expect((await watch.nextOf('hello')).data.resumed).toBe(true);
    const updates = [];
    for (;;) {
      const message = await watch.next();
      if (message === undefined || message.event === 'head') break;
      updates.push(message);
    }
    expect(updates.map(({ event }) => event)).toEqual([
      'settled',
      'retracted',
      'settled',
      'settled',
    ]);
    expect(updates[0]).toMatchObject({ data: { events: [{ saleId: remaining }] } });
    expect(updates[3]).toMatchObject({ data: { events: [{ saleId: last }] } });
    // By query, for those who cannot send the header; and now from memory.
    const again = await StreamWatch.open(app, { query: `?lastEventId=${updates[2]?.id}` });
    expect((await again.nextOf('settled')).data).toEqual(updates[3]?.data);
    await watch.close();
    await again.close();
  });

  it('reports that it cannot resume from an id, and begins at the newest change', async () => {
    const epoch = (await firstId()).split('-')[0];
    for (const lastEventId of ['nonsense', '00000000-1', `${epoch}-999999`]) {
      const watch = await StreamWatch.open(fixture.app(), { lastEventId });
      expect((await watch.nextOf('hello')).data.resumed).toBe(false);
      const reset = await watch.nextOf('reset');
      expect(reset.data.reason).toBe('UNKNOWN');
      expect(reset.id).toBe(await firstId());
      await watch.close();
    }
    await sell('1');
    expect(await forgetChanges(fixture.pool, new Date(Date.now() + 23 * 3_600_000))).toBe(0);
    await fixture.pool`delete from ledger.change where sequence <= 2`;
    const watch = await StreamWatch.open(fixture.app(), { lastEventId: `${epoch}-1` });
    expect((await watch.nextOf('reset')).data.reason).toBe('TOO_OLD');
    await watch.close();
    const fits = await StreamWatch.open(fixture.app(), { lastEventId: `${epoch}-2` });
    expect((await fits.nextOf('hello')).data.resumed).toBe(true);
    await fits.close();
  });

  async function firstId(): Promise<string> {
    const watch = await StreamWatch.open(fixture.app());
    const { id } = await watch.nextOf('hello');
    await watch.close();
    return id;
  }

  it('sends only the requested campaigns and accounts', async () => {
    const app = fixture.app();
    const campaign = await StreamWatch.open(app, { query: '?campaignId=2,77' });
    // A share goes to the owner, whom the event itself does not name.
    const owner = await StreamWatch.open(app, {
      query: `?account=${OWNER.toUpperCase().replace('0X', '0x')}`,
    });
    await sell('1');
    await sell('2');
    expect((await campaign.nextOf('settled')).data.campaignId).toBe('2');
    const own = await owner.nextOf('settled');
    expect(own.data.campaignId).toBe('1');
    expect(own.data.events.every(({ accounts }) => accounts.includes(OWNER))).toBe(true);
    // What was nothing to it is behind it all the same.
    const head = await owner.nextOf('head');
    expect(head.data.sequence).toBeGreaterThanOrEqual(own.data.sequence + 1);
    await campaign.close();
    await owner.close();
  });

  it('disconnects a reader that falls behind, with an id from which it can resume without a gap', async () => {
    const stream = hubWith({ ringMessages: 3 });
    const app = fixture.app({ stream });
    const slow = await StreamWatch.open(app);
    const quick = await StreamWatch.open(app);
    const { id } = await slow.nextOf('hello');
    await sell('2');
    // It has taken one, so it is live; then it takes nothing more.
    await slow.nextOf('settled');
    const expected = [];
    for (let i = 0; i < 6; i += 1) {
      expected.push(await sell('2'));
      await quick.nextOf('settled');
    }
    await waitFor(() => stream.cutCount === 1, { what: 'the slow reader to be cut' });
    const end = await slow.nextOf('end');
    expect(end.data.reason).toBe('SLOW');
    expect(await slow.next()).toBeUndefined();
    expect(end.data.resumeFrom).not.toBe(id);
    const back = await StreamWatch.open(app, { lastEventId: end.data.resumeFrom });
    const updates = [];
    for (const _one of expected)
      updates.push((await back.nextOf('settled')).data.events[0]?.saleId);
    expect(updates).toEqual(expected);
    const metrics = await (await app.request('/metrics')).text();
    expect(metrics).toContain('tributary_stream_cut_total 1');
    expect(metrics).toContain('tributary_stream_readers 2');
    await back.close();
    await quick.close();
    expect(stream.readerCount).toBe(0);
    await stream.close();
  });

  it('sends heartbeats, ends after a limited time, and outlasts the deadline of a request', async () => {
    const stream = hubWith({ heartbeatMs: 5, durationMs: 2_000 });
    const watch = await StreamWatch.open(fixture.app({ stream, requestMs: 20 }));
    while (watch.comments < 3) expect(await watch.read()).toBe(true);
    const end = await watch.nextOf('end');
    expect(end.data.reason).toBe('TIME');
    expect(await watch.next()).toBeUndefined();
    await stream.close();
  });

  it('returns errors in the envelope before the stream begins', async () => {
    const stream = hubWith({ perAddress: 2, readers: 3 });
    const app = fixture.app({ stream, trustedProxies: 1 });
    const ask = (query: string, ip = '10.0.0.1', method = 'GET') =>
      app.request(`/v1/stream${query}`, { method, headers: { 'x-forwarded-for': ip } });
    const refused = async (response: Response, status: number) => {
      expect(response.status).toBe(status);
      return ErrorBody.parse(await response.json()).error;
    };
    for (const [query, path] of [
      ['?campaignId=x', 'campaignId.0'],
      ['?account=0x1', 'account.0'],
      [`?campaignId=${Array.from({ length: 21 }, (_, i) => i + 1).join(',')}`, 'campaignId'],
      ['?campaignId=', 'campaignId'],
      ['?flavour=1', 'flavour'],
    ] as const) {
      expect((await refused(await ask(query), 400)).issues?.[0]?.path).toBe(path);
    }
    expect((await refused(await ask('', '10.0.0.1', 'POST'), 405)).code).toBe('METHOD_NOT_ALLOWED');
    const open = [await ask(''), await ask(''), await ask('', '10.0.0.2')];
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
    const full = await ask('', '10.0.0.1');
    expect(full.headers.get('retry-after')).toBe('2');
    expect((await refused(full, 429)).message).toContain('from this address');
    // A new address gets the place of the one that holds two, whose reader is asked to come again.
    const third = await ask('', '10.0.0.3');
    expect(third.status).toBe(200);
    expect(await open[0]?.text()).toContain('"reason":"TIME"');
    expect((await refused(await ask('', '10.0.0.4'), 429)).message).toContain('are open');
    expect((await ask('', '10.0.0.4', 'HEAD')).status).toBe(200);
    // A place is free as soon as a reader goes.
    await open[1]?.body?.cancel();
    const freed = await ask('', '10.0.0.4');
    expect(freed.status).toBe(200);
    for (const one of [...open.slice(2), third, freed]) await one.body?.cancel();
    expect(stream.readerCount).toBe(0);
    await stream.close();
    await refused(await ask(''), 503);
  });

  it('sends the headers of other public reads', async () => {
    const response = await fixture.app().request('/v1/stream', {
      headers: { origin: 'https://shop.example' },
    });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'access-control-allow-origin': 'https://shop.example',
    });
    expect(response.headers.get('set-cookie')).toBeNull();
    await response.body?.cancel();
  });

  it('lets the client follow the stream over a real socket, through a restart of the service', async () => {
    const stopping = new AbortController();
    const states: string[] = [];
    const updates: StreamUpdate[] = [];
    let server = await serveApi({ ...fixture.deps, port: 0, host: '127.0.0.1' });
    const { port } = server;
    const client = createClient({ baseUrl: server.url });
    const following = (async () => {
      const onState = (state: string) => states.push(state);
      const options = { campaignId: ['1'], signal: stopping.signal, retryMs: 20, onState };
      for await (const message of client.stream(options)) updates.push(message);
    })();
    const until = (what: string, count: number) =>
      waitFor(() => updates.filter(({ event }) => event === 'settled').length === count, { what });
    await waitFor(() => updates.length > 0, { what: 'the greeting' });
    const first = await sell('1');
    await until('the first sale', 1);
    await server.stop();
    const missed = await sell('1');
    server = await serveApi({ ...fixture.deps, port, host: '127.0.0.1' });
    await until('what was missed', 2);
    const last = await sell('1');
    await until('what came after', 3);
    const sold = updates.flatMap((one) => (one.event === 'settled' ? one.data.events : []));
    expect(sold.map(({ saleId }) => saleId)).toEqual([first, missed, last]);
    expect(updates.filter(({ event }) => event === 'reset')).toEqual([]);
    stopping.abort();
    await following;
    expect(new Set(states)).toEqual(new Set(['connecting', 'open', 'waiting']));
    await server.stop();
  });
});
