import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { optionalResources } from '../../engine/contract/registry.ts';
import { bytesOfHex } from '../../engine/db/hex.ts';
import { unseal } from '../../engine/secrets/seal.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';
import { WebhookNetwork } from './support/webhook-network.ts';

const URL = 'https://hooks.example/tributary';
const MERCHANT = account(1_000);

describe('the API of webhooks', () => {
  let fixture: ApiFixture;
  let accounts = 6_000;
  let now = Date.UTC(2026, 0, 2);

  beforeAll(async () => {
    fixture = await ApiFixture.open({
      enabled: new Set(optionalResources),
      webhookTargets: { allowCidrs: [], allowLoopback: false, ownUrl: 'https://api.example' },
      clock: () => now,
    });
  });
  afterAll(() => fixture.close());

  async function next(): Promise<Client> {
    accounts += 1;
    return await fixture.signingClientAs(account(accounts));
  }

  /** Sealed secrets of an endpoint, opened. */
  async function secretsOf(id: string): Promise<(string | undefined)[]> {
    const [row] = await fixture.pool`
      select secret, old_secret from commerce.webhook_endpoint where id = ${id}`;
    return [row?.secret, row?.old_secret].map(
      (sealed) => sealed && unseal(bytesOfHex(sealed), fixture.deps.keys, 'webhook secret')?.text,
    );
  }

  it('makes an endpoint with a secret that is shown once, lists it, changes it and removes it', async () => {
    const { webhooks } = await next();
    const { data: made } = await webhooks.create({ url: URL, events: ['sale.*', 'sale.*'] });
    const { secret, ...endpoint } = made;
    expect(secret).toMatch(/^whsec_/);
    expect(await secretsOf(endpoint.id)).toEqual([secret, null]);
    expect(endpoint).toMatchObject({ url: URL, events: ['sale.*'], enabled: true, ordered: false });
    expect((await webhooks.list()).data).toEqual([endpoint]);
    const { id } = endpoint;
    const { data: changed } = await webhooks.update({ id, enabled: false, ordered: true });
    expect(changed).toEqual({ ...endpoint, enabled: false, ordered: true });
    await webhooks.remove({ id });
    expect((await webhooks.list()).data).toEqual([]);
    await expect(webhooks.remove({ id })).rejects.toMatchObject({ status: 404 });
  });

  it.each([
    ['http://hooks.example/', 'must begin with https://'],
    ['https://127.0.0.1/', 'must name a host with a public address'],
    ['https://[::ffff:169.254.169.254]/', 'must name a host with a public address'],
    ['https://api.example/hook', 'must not name this service'],
    ['https://API.example.:8443/hook', 'must not name this service'],
  ])('refuses the URL %s, naming the field', async (url, message) => {
    const { webhooks } = await next();
    await expect(webhooks.create({ url, events: ['*'] })).rejects.toMatchObject({
      status: 422,
      issues: [{ path: 'url', message }],
    });
    expect((await webhooks.list()).data).toEqual([]);
  });

  it('refuses events that do not exist, naming each', async () => {
    const { webhooks } = await next();
    const events = ['sale.recorded@safe', 'sale.sold', '*@later'];
    await expect(webhooks.create({ url: URL, events })).rejects.toMatchObject({
      status: 422,
      issues: [{ path: 'events.1' }, { path: 'events.2' }],
    });
  });

  it('allows 20 endpoints, however many are made concurrently', async () => {
    const { webhooks } = await next();
    const make = () => webhooks.create({ url: URL, events: ['*'] });
    const made = await Promise.allSettled(Array.from({ length: 23 }, make));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect((await webhooks.list()).data).toHaveLength(20);
  });

  it('signs with the old secret too for 24 hours after a rotation, during which no other one begins', async () => {
    const { webhooks } = await next();
    const { data } = await webhooks.create({ url: URL, events: ['*'] });
    const { id, secret: first } = data;
    const { secret: second, oldSecretExpiresAt } = (await webhooks.rotateSecret({ id })).data;
    expect(Date.parse(oldSecretExpiresAt)).toBe(now + 86_400_000);
    expect(await secretsOf(id)).toEqual([second, first]);
    await expect(webhooks.rotateSecret({ id })).rejects.toMatchObject({ status: 409 });
    now += 86_400_000;
    // The session has ended meanwhile.
    const again = await fixture.signingClientAs(account(accounts));
    const { secret: third } = (await again.webhooks.rotateSecret({ id })).data;
    expect(await secretsOf(id)).toEqual([third, second]);
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it('shows an endpoint and its deliveries to no other account', async () => {
    const { webhooks } = await next();
    const { id } = (await webhooks.create({ url: URL, events: ['*'] })).data;
    const { id: delivery } = (await webhooks.test({ id })).data;
    const other = (await next()).webhooks;
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
    const requests = [
      () => other.update({ id, enabled: false }),
      () => other.rotateSecret({ id }),
      () => other.test({ id }),
      () => other.deliveries({ id }),
      () => other.replayRange({ id, range }),
      () => other.remove({ id }),
      () => other.delivery({ id: delivery }),
      () => other.replay({ id: delivery }),
    ];
    for (const request of requests) await expect(request()).rejects.toMatchObject({ status: 404 });
    expect((await webhooks.list()).data).toMatchObject([{ id, enabled: true }]);
  });

  it('lists deliveries page by page with every attempt, and repeats one or those of a period', async () => {
    const network = new WebhookNetwork(fixture, now);
    const failing = new Set([0, 1]);
    const receiver = await network.add({
      ...{ owner: MERCHANT, events: ['sale.recorded', 'campaign.created'] },
      behaviour: (request) => (failing.has(request) ? 'refuses' : 'takes'),
    });
    await fixture.settle(smallHistory().history.facts);
    await network.drain();
    now = network.now;
    const { webhooks } = await fixture.clientAs(MERCHANT);
    const { id } = receiver;
    const first = (await webhooks.deliveries({ id, limit: 2 })).data;
    expect(first.items).toHaveLength(2);
    const found = [...first.items];
    for (let cursor = first.nextCursor; cursor !== null; ) {
      const page = (await webhooks.deliveries({ id, limit: 2, cursor })).data;
      found.push(...page.items);
      cursor = page.nextCursor;
    }
    const sent = receiver.messages.length;
    expect(new Set(found.map((one) => one.id)).size).toBe(sent);
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set(['delivered']));
    const sentTypes = receiver.messages.map((one) => `${one.data.eventId} ${one.type}`);
    expect(found.map(({ eventId, type }) => `${eventId} ${type}`).sort()).toEqual(sentTypes.sort());

    const repeated = found.find(({ attempt }) => attempt === 2);
    const detail = (await webhooks.delivery({ id: repeated?.id ?? '' })).data;
    const { body } = receiver.requests.find(
      ({ headers }) => headers['webhook-id'] === detail.eventId,
    ) ?? { body: '' };
    expect(JSON.stringify(detail.body)).toBe(body);
    expect(detail).toMatchObject({
      attempts: [
        { attempt: 1, httpStatus: 500, error: null, excerpt: 'no' },
        { attempt: 2, httpStatus: 204, error: null, excerpt: '' },
      ],
    });

    const { data: again } = await webhooks.replay({ id: detail.id });
    expect(again).toMatchObject({ eventId: detail.eventId, status: 'queued', attempt: 1 });
    const range = { from: '2020-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z' };
    expect((await webhooks.replayRange({ id, range })).data).toEqual({ replayed: 0 });
    const all = await webhooks.replayRange({ id, range, onlyFailed: false });
    expect(all.data).toEqual({ replayed: sent });
    const before = receiver.requests.length;
    network.now += 1;
    await network.drain();
    const ids = receiver.requests.slice(before).map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(1 + sent);
    expect(new Set(ids)).toEqual(new Set(found.map(({ eventId }) => eventId)));
    expect(receiver.messages).toHaveLength(sent);
  });
});
