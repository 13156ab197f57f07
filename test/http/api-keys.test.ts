import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { methods, optionalResources } from '../../engine/contract/registry.ts';
import { scopeOf } from '../../engine/contract/scopes.ts';
import { createApi } from '../../engine/http/app.ts';
import { deriveKeys } from '../../engine/secrets/keys.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { allScopes, keyOf } from './support/api-keys.ts';
import { confirmed } from './support/confirmed.ts';
import { leastParts, requestOf } from './support/requests.ts';
import { signedIn } from './support/session.ts';
import { smallHistory } from './support/small-history.ts';

const enabled = new Set(optionalResources);
const START = Date.UTC(2026, 0, 2);
const DAY_MS = 86_400_000;
const Failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

describe('API keys', () => {
  let fixture: ApiFixture;
  let now = START;
  let accounts = 6_000;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ enabled, clock: () => now });
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(() => fixture.close());

  function next(): `0x${string}` {
    accounts += 1;
    return account(accounts);
  }

  /** A signed-in client with a fresh signature. */
  async function owner() {
    const address = next();
    return { address, ...(await confirmed(fixture, address)) };
  }

  async function refusalOf(path: string, headers: Record<string, string>, app = fixture.app()) {
    const response = await app.request(path, { headers });
    const { error } = Failure.parse(await response.json());
    return { status: response.status, ...error, headers: response.headers };
  }

  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  it('makes a key with a fresh signature, shows it once, and stores a hash', async () => {
    const { client, confirmationToken } = await owner();
    const input = { name: 'Shop', scopes: ['receipts.read', 'receipts.read', 'orders.read'] };
    await expect(client.apiKeys.create(input)).rejects.toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
    });
    const { data } = await client.apiKeys.create({ ...input, confirmationToken });
    expect(data).toMatchObject({
      name: 'Shop',
      scopes: ['receipts.read', 'orders.read'],
      addresses: [],
      lastUsedAt: null,
      expiresAt: null,
    });
    expect(data.secret.startsWith(data.prefix)).toBe(true);
    const { secret, ...listed } = data;
    expect((await client.apiKeys.list()).data).toEqual([listed]);
    const stored = await fixture.pool`select api_key::text as whole from commerce.api_key`;
    expect(JSON.stringify(stored)).not.toContain(secret.slice(data.prefix.length + 1));
  });

  it('names every scope that does not exist, or that the role of the account cannot use', async () => {
    const { client, confirmationToken } = await owner();
    const scopes = ['receipts.read', 'nothing.read', 'auth.write', 'receipts.write'];
    const made = client.apiKeys.create({ name: 'x', scopes, confirmationToken });
    await expect(made).rejects.toMatchObject({
      status: 422,
      issues: [{ path: 'scopes.1' }, { path: 'scopes.2' }, { path: 'scopes.3' }],
    });
    const past = { expiresAt: new Date(now - 1).toISOString() };
    const expired = client.apiKeys.create({
      name: 'x',
      scopes: ['receipts.read'],
      confirmationToken,
      ...past,
    });
    await expect(expired).rejects.toMatchObject({ status: 422, issues: [{ path: 'expiresAt' }] });
    const wrong = { name: 'x', scopes: ['receipts.read'], confirmationToken };
    for (const addresses of [['10.0.0.256'], ['10.0.0.0/33'], ['example.com'], ['']]) {
      await expect(client.apiKeys.create({ ...wrong, addresses })).rejects.toMatchObject({
        status: 400,
      });
    }
  });

  it('answers a key as its account, without cookie, origin or CSRF token', async () => {
    const address = account(14);
    const key = await keyOf(fixture, address);
    const client = fixture.client({}, undefined, { apiKey: key });
    const signed = await fixture.clientAs(address);
    const [mine, theirs] = await Promise.all([
      client.earnings.summary(),
      signed.earnings.summary(),
    ]);
    expect(mine.data).toEqual(theirs.data);
    const shop = next();
    const writer = fixture.client({}, undefined, { apiKey: await keyOf(fixture, shop) });
    await writer.merchants.setup({ slug: `k-${accounts}`, name: `Keyed ${accounts}` });
    expect((await writer.merchants.me()).data.slug).toBe(`k-${accounts}`);
  });

  it('ignores a cookie that comes along with a key', async () => {
    const session = await signedIn(fixture.deps, account(11));
    const key = await keyOf(fixture, next());
    const response = await fixture
      .app()
      .request('/v1/auth/session', { headers: { ...session.reading, ...bearer(key) } });
    expect(response.status).toBe(403);
  });

  it('lets a key call what its scopes name, and nothing else', async () => {
    const key = await keyOf(fixture, next(), { scopes: ['receipts.read'] });
    const client = fixture.client({}, undefined, { apiKey: key });
    await expect(client.receipts.forBuyer({})).resolves.toMatchObject({ data: { items: [] } });
    await expect(client.earnings.summary()).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('earnings.read'),
    });
    await expect(client.campaigns.list({})).resolves.toBeDefined();
  });

  const closed = methods.filter((one) => one.access === 'session' && scopeOf(one) === undefined);
  it.each(
    closed.filter((one) => one.availability !== 'designed').map((one) => [one.name, one] as const),
  )('%s is refused to every key', async (_name, method) => {
    const key = await keyOf(fixture, next());
    const { path, init } = requestOf(method, leastParts(method), bearer(key));
    const response = await fixture.app().request(path, init);
    expect(response.status).toBe(403);
    expect(Failure.parse(await response.json()).error.message).toContain('No API key may call');
  });

  const confirmable = methods.filter((one) =>
    Object.hasOwn(one.input?.body?.shape ?? {}, 'confirmationToken'),
  );
  it('refuses a key what needs a fresh signature', async () => {
    expect(confirmable.length).toBeGreaterThan(4);
    const address = next();
    const key = await keyOf(fixture, address);
    const client = fixture.client({}, undefined, { apiKey: key });
    await client.merchants.setup({ slug: `c-${accounts}`, name: `Closing ${accounts}` });
    const close = client.merchants.close({
      slug: `c-${accounts}`,
      confirmationToken: 'x'.repeat(43),
    });
    await expect(close).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('refuses a key that is malformed, unknown, of another secret, or revoked in the same way', async () => {
    const { address, client } = await owner();
    const key = await keyOf(fixture, address);
    const path = '/v1/me/earnings';
    expect(await refusalOf(path, bearer('x'))).toMatchObject({ status: 401 });
    expect(await refusalOf(path, bearer(`${key}x`))).toMatchObject({ status: 401 });
    const app = fixture.app({ keys: deriveKeys(['another secret of tests, 32 characters']) });
    const foreign = await refusalOf(path, bearer(key), app);
    const [{ id } = { id: '' }] = (await client.apiKeys.list()).data;
    const { data } = await client.apiKeys.revoke({ id });
    expect(data.revokedAt).toBe(new Date(now).toISOString());
    expect((await client.apiKeys.revoke({ id })).data).toEqual(data);
    const revoked = await refusalOf(path, bearer(key));
    expect(revoked).toMatchObject({ status: 401, message: foreign.message });
  });

  it('ends a key when it expires', async () => {
    const key = await keyOf(fixture, next(), { expiresAt: new Date(now + DAY_MS) });
    const client = fixture.client({}, undefined, { apiKey: key });
    await expect(client.earnings.summary()).resolves.toBeDefined();
    now += DAY_MS;
    await expect(client.earnings.summary()).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining('expired'),
    });
  });

  it('rotates a key with an overlap in which both are good', async () => {
    const { client, confirmationToken } = await owner();
    const made = (
      await client.apiKeys.create({
        ...{ name: 'Rotated', scopes: ['earnings.read'], addresses: ['10.0.0.0/8'] },
        confirmationToken,
      })
    ).data;
    const { data } = await client.apiKeys.rotate({
      ...{ id: made.id, overlapSeconds: 60 },
      confirmationToken,
    });
    expect(data).toMatchObject({ name: 'Rotated', scopes: made.scopes, addresses: made.addresses });
    expect(data.id).not.toBe(made.id);
    const old = (await client.apiKeys.list()).data.find(({ id }) => id === made.id);
    expect(old?.expiresAt).toBe(new Date(now + 60_000).toISOString());
    now += 60_000;
    const again = client.apiKeys.rotate({ id: made.id, confirmationToken });
    await expect(again).rejects.toMatchObject({ status: 409 });
  });

  it('binds a key to addresses and networks', async () => {
    const address = next();
    const addresses = ['192.0.2.7', '10.0.0.0/8', '2001:db8::/32'];
    const key = await keyOf(fixture, address, { addresses });
    const app = fixture.app({ trustedProxies: 1 });
    const statusFrom = async (ip: string) => {
      const headers = { ...bearer(key), 'x-forwarded-for': ip };
      return (await app.request('/v1/me/earnings', { headers })).status;
    };
    for (const ip of ['192.0.2.7', '10.1.2.3', '2001:db8::1', '::ffff:10.1.2.3']) {
      expect([ip, await statusFrom(ip)]).toEqual([ip, 200]);
    }
    for (const ip of ['192.0.2.8', '11.0.0.1', '2001:db9::1']) {
      expect([ip, await statusFrom(ip)]).toEqual([ip, 403]);
    }
  });

  it('gives no page permission to use a key, and refuses a request with an origin', async () => {
    const key = await keyOf(fixture, next());
    for (const path of ['/v1/me/earnings', '/v1/campaigns']) {
      for (const origin of ['https://shop.example', 'https://evil.example']) {
        const refused = await refusalOf(path, { ...bearer(key), origin });
        expect(refused).toMatchObject({ status: 403, code: 'ORIGIN_REJECTED' });
        expect(refused.headers.get('access-control-allow-origin')).toBeNull();
      }
      const response = await fixture.app().request(path, { headers: bearer(key) });
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('lets a key act for one merchant only, until its account leaves the team', async () => {
    const shop = await owner();
    await shop.client.merchants.setup({ slug: `s-${accounts}`, name: `Shop ${accounts}` });
    const who = next();
    const { confirmationToken } = shop;
    await shop.client.team.invite({ address: who, role: 'viewer', confirmationToken });
    await fixture.pool`
      update commerce.team_member set status = 'active', joined_at = now() where account = ${who}`;
    const key = await keyOf(fixture, who, { merchant: shop.address });
    const client = fixture.client({}, undefined, { apiKey: key });
    expect((await client.merchants.me()).data.slug).toMatch(/^s-/);
    await expect(client.merchants.update({ name: 'Mine' })).rejects.toMatchObject({ status: 403 });
    const elsewhere = fixture.client({}, undefined, { apiKey: key, merchant: who });
    await expect(elsewhere.merchants.me()).rejects.toMatchObject({ status: 403 });
    const { data } = await shop.client.team.members();
    await shop.client.team.remove({ id: data.find(({ address }) => address === who)?.id ?? '' });
    await expect(client.merchants.me()).rejects.toMatchObject({ status: 401 });
  });

  it('limits an account to 50 keys, however many are made concurrently', async () => {
    const { address, client, confirmationToken } = await owner();
    for (let made = 0; made < 48; made += 1) await keyOf(fixture, address);
    const more = await Promise.allSettled(
      Array.from({ length: 5 }, () =>
        client.apiKeys.create({ name: 'x', scopes: ['earnings.read'], confirmationToken }),
      ),
    );
    expect(more.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });

  it('counts the requests of a key', async () => {
    const { address, client } = await owner();
    const key = await keyOf(fixture, address);
    const { app, usage } = createApi(fixture.deps);
    const paths = ['/v1/me/earnings', '/v1/merchant/campaigns/1/vault', '/v1/me/earnings?nope=1'];
    for (const path of paths) await app.request(path, { headers: bearer(key) });
    for (let i = 0; i < 60; i += 1) await app.request('/v1/campaigns', { headers: bearer(key) });
    await usage.flush();
    const [{ id, lastUsedAt } = { id: '', lastUsedAt: '' }] = (await client.apiKeys.list()).data;
    expect(lastUsedAt).toBe(new Date(now).toISOString());
    const { data } = await client.apiKeys.usage({ id });
    const counts = Object.fromEntries(data.hourly.map((one) => [one.statusClass, one.count]));
    expect(counts).toEqual({ '2xx': 61, '4xx': 2 });
    expect(data.requests).toHaveLength(50);
    expect(data.requests[0]).toMatchObject({ method: 'GET', path: '/v1/campaigns', status: 200 });
    const one = (await client.apiKeys.usage({ id, campaignIds: ['1'] })).data;
    expect(one.hourly).toMatchObject([{ statusClass: '4xx', count: 1 }]);
    const other = await fixture.clientAs(next());
    await expect(other.apiKeys.usage({ id })).rejects.toMatchObject({ status: 404 });
  });

  it('refuses every key unless the deployment enables them', async () => {
    const key = await keyOf(fixture, next());
    const app = fixture.app({ enabled: new Set() });
    expect(await refusalOf('/v1/me/earnings', bearer(key), app)).toMatchObject({ status: 401 });
    expect(allScopes.length).toBeGreaterThan(20);
  });
});
