import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { acceptsIdempotencyKey } from '../../engine/contract/define.ts';
import { methods, optionalResources } from '../../engine/contract/registry.ts';
import { saveConfirmation } from '../../engine/db/commerce/confirmations.ts';
import { bytesOfHex } from '../../engine/db/hex.ts';
import { newToken, tokenHashOf } from '../../engine/http/auth/token.ts';
import { chores } from '../../engine/jobs/chores.ts';
import { unseal } from '../../engine/secrets/seal.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { png } from './support/images.ts';
import { type SignedIn, signedIn } from './support/session.ts';
import { smallHistory } from './support/small-history.ts';

const MERCHANT = account(1);
const OTHER = account(2);

const policy = {
  commissionBps: 1_000,
  perSaleCap: '100',
  maxRewardedAncestors: 1,
  weightsBps: [10_000],
  shortPathMode: 'RETURN_UNUSED',
  holdSeconds: 60,
  regions: [],
  sharingRules: [],
};

let fixture: ApiFixture;
let me: SignedIn;
let other: SignedIn;
let now = Date.UTC(2026, 0, 1);

beforeAll(async () => {
  fixture = await ApiFixture.open({ clock: () => now });
  for (const address of [MERCHANT, OTHER]) {
    const client = await fixture.clientAs(address);
    await client.merchants.setup({ slug: `shop-${address.slice(-4)}`, name: address });
  }
  me = await signedIn(fixture.deps, MERCHANT);
  other = await signedIn(fixture.deps, OTHER);
});
afterAll(() => fixture.close());

async function post(key: string | undefined, name: string, who = me) {
  const headers = {
    ...who.writing,
    'content-type': 'application/json',
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  const body = JSON.stringify({ name, policy });
  const response = await fixture
    .app()
    .request('/v1/merchant/policy-templates', { method: 'POST', headers, body });
  const replayed = response.headers.get('idempotency-replayed');
  return { status: response.status, replayed, body: await response.json() };
}

async function templatesNamed(name: string): Promise<number> {
  const rows = await fixture.pool`select 1 from commerce.policy_template where name = ${name}`;
  return rows.length;
}

describe('a write with an Idempotency-Key', () => {
  it('reads the ledger in a transaction of its own, which cannot write', async () => {
    await fixture.settle(smallHistory().history.facts);
    const merchant = await signedIn(fixture.deps, account(1_000));
    const headers = { ...merchant.writing, 'content-type': 'application/json' };
    const send = async () =>
      await fixture.app().request('/v1/merchant/campaigns/1/pause', {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': 'pause-1' },
      });
    const first = await send();
    expect(first.status).not.toBe(500);
    if (first.status === 200) {
      expect((await send()).headers.get('idempotency-replayed')).toBe('true');
    }
  });

  it('answers a repeated request with the first response, and does nothing', async () => {
    const first = await post('key-1', 'Once');
    const again = await post('key-1', 'Once');
    expect(first).toMatchObject({ status: 200, replayed: null });
    expect(again).toMatchObject({ status: 200, replayed: 'true' });
    expect(again.body).toMatchObject({ data: Reflect.get(Object(first.body), 'data') });
    expect(await templatesNamed('Once')).toBe(1);
    await post(undefined, 'Once');
    expect(await templatesNamed('Once')).toBe(2);
  });

  it('runs one of several concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => post('key-2', 'Race')));
    expect(await templatesNamed('Race')).toBe(1);
    expect(answers.filter(({ status, replayed }) => status === 200 && !replayed)).toHaveLength(1);
    for (const { status, replayed, body } of answers) {
      if (status === 200) continue;
      expect(replayed).toBeNull();
      expect(body).toMatchObject({ error: { code: 'CONFLICT' } });
    }
  });

  it('refuses a key that names another request of the account', async () => {
    await post('key-3', 'This');
    expect(await post('key-3', 'That')).toMatchObject({
      status: 409,
      body: { error: { code: 'IDEMPOTENCY_CONFLICT' } },
    });
    expect(await templatesNamed('That')).toBe(0);
  });

  it('keeps the keys of accounts apart', async () => {
    await post('key-4', 'Both');
    expect(await post('key-4', 'Both', other)).toMatchObject({ status: 200, replayed: null });
    expect(await templatesNamed('Both')).toBe(2);
  });

  it('releases the key of a write that was refused', async () => {
    const stranger = await signedIn(fixture.deps, account(3));
    expect(await post('key-5', 'Late', stranger)).toMatchObject({ status: 404 });
    const client = await fixture.clientAs(account(3));
    await client.merchants.setup({ slug: 'stranger', name: 'Stranger' });
    expect(await post('key-5', 'Late', stranger)).toMatchObject({ status: 200, replayed: null });
  });

  it('runs no request again whose response was lost', async () => {
    await fixture.pool.unsafe(`
      create function commerce.lose() returns trigger language plpgsql as
        $$ begin raise exception 'the process ended'; end $$;
      create trigger lose before update of data on commerce.idempotency_key
        for each row when (new.data is not null) execute function commerce.lose()`);
    expect(await post('key-6', 'Lost')).toMatchObject({ status: 500 });
    await fixture.pool.unsafe('drop function commerce.lose() cascade');
    expect(await templatesNamed('Lost')).toBe(1);
    expect(await post('key-6', 'Lost')).toMatchObject({ body: { error: { code: 'CONFLICT' } } });
    now += 61_000;
    expect(await post('key-6', 'Lost')).toMatchObject({
      body: { error: { code: 'IDEMPOTENCY_CONFLICT' } },
    });
    expect(await templatesNamed('Lost')).toBe(1);
  });

  it('runs a request again whose process ended before it stored anything', async () => {
    const first = await post('key-7', 'Abandoned');
    expect(first.status).toBe(200);
    await fixture.pool`
      update commerce.idempotency_key set data = null, is_stored = false where key = 'key-7'`;
    expect(await post('key-7', 'Abandoned')).toMatchObject({ status: 409 });
    now += 61_000;
    expect(await post('key-7', 'Abandoned')).toMatchObject({ status: 200, replayed: null });
  });

  it('stores a file once', async () => {
    const upload = async (key: string, file: Blob) => {
      const form = new FormData();
      form.append('file', file);
      const headers = { ...me.writing, 'idempotency-key': key };
      const init = { method: 'POST', headers, body: form };
      const response = await fixture.app().request('/v1/merchant/logo', init);
      return { status: response.status, replayed: response.headers.get('idempotency-replayed') };
    };
    expect(await upload('key-8', png(8, 8))).toEqual({ status: 200, replayed: null });
    expect(await upload('key-8', png(8, 8))).toEqual({ status: 200, replayed: 'true' });
    expect((await upload('key-8', png(9, 9))).status).toBe(409);
  });

  describe('whose response has a secret', () => {
    const enabled = new Set(optionalResources.filter((name) => name !== 'team'));

    async function send(path: string, key: string, fields: Record<string, unknown>) {
      const confirmationToken = newToken();
      const until = new Date(now + 300_000);
      await saveConfirmation(fixture.pool, me.id, tokenHashOf(confirmationToken), until);
      const response = await fixture.app({ enabled }).request(path, {
        method: 'POST',
        headers: { ...me.writing, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ ...fields, confirmationToken }),
      });
      const replayed = response.headers.get('idempotency-replayed');
      return { status: response.status, replayed, body: Response.parse(await response.json()) };
    }
    const Response = z.object({
      data: z.object({ id: z.string().optional(), secret: z.string() }).optional(),
      error: z.object({ code: z.string(), message: z.string() }).optional(),
    });

    /** Sends a write twice under a key. @returns the data of the first response. */
    async function sendTwice(path: string, key: string, fields: Record<string, unknown> = {}) {
      const first = await send(path, key, fields);
      expect(first).toMatchObject({ status: 200, replayed: null });
      expect(await send(path, key, fields)).toMatchObject({
        ...{ status: 409, replayed: null },
        body: {
          error: {
            code: 'IDEMPOTENCY_CONFLICT',
            message: expect.stringContaining('a secret, which is returned only once'),
          },
        },
      });
      expect(await send(path, key, { ...fields, more: 1 })).toMatchObject({ status: 400 });
      const { secret, id = '' } = first.body.data ?? { secret: '' };
      expect(secret.length).toBeGreaterThan(40);
      const stored = await fixture.pool`select idempotency_key::text from commerce.idempotency_key`;
      expect(stored.length).toBeGreaterThan(0);
      expect(JSON.stringify(stored)).not.toContain(secret);
      return { id, secret };
    }

    async function count(table: string): Promise<number> {
      const [row] = await fixture.pool`select count(*)::int from ${fixture.pool(table)}`;
      return row?.count;
    }

    it('makes one API key, and neither stores nor returns its secret again', async () => {
      const input = { name: 'Shop', scopes: ['orders.read'] };
      const { id } = await sendTwice('/v1/developer/keys', 'secret-1', input);
      expect(await count('commerce.api_key')).toBe(1);
      await sendTwice(`/v1/developer/keys/${id}/rotate`, 'secret-2');
      expect(await count('commerce.api_key')).toBe(2);
    });

    it('makes one endpoint, and neither stores nor returns its secret again', async () => {
      const input = { url: 'https://hooks.example/', events: ['sale.*'] };
      const { id } = await sendTwice('/v1/developer/webhooks', 'secret-3', input);
      expect(await count('commerce.webhook_endpoint')).toBe(1);
      const { secret } = await sendTwice(`/v1/developer/webhooks/${id}/secret`, 'secret-4');
      const [row] = await fixture.pool`select secret from commerce.webhook_endpoint`;
      expect(unseal(bytesOfHex(row?.secret), fixture.deps.keys, 'webhook secret')?.text).toBe(
        secret,
      );
    });
  });

  it('takes the key of the client', async () => {
    const client = await fixture.clientAs(MERCHANT);
    const input = { name: 'Typed', policy: { ...policy, shortPathMode: 'RETURN_UNUSED' as const } };
    const options = { idempotencyKey: 'key-9' };
    const { data } = await client.studio.saveTemplate(input, options);
    expect((await client.studio.saveTemplate(input, options)).data).toEqual(data);
  });

  it.each(['', 'two words', 'ä', 'x'.repeat(201)])('refuses the key %j', async (key) => {
    expect(await post(key, 'Key')).toMatchObject({
      status: 400,
      body: { error: { issues: [{ path: 'idempotency-key' }] } },
    });
  });

  it('forgets a key after a day', async () => {
    await post('key-10', 'Day');
    const context = { pool: fixture.pool, clock: () => now };
    const forget = chores['idempotency-keys.forget'];
    if (forget === undefined) throw new Error('there is no such chore');
    await forget.run(Object.assign(Object.create(null), context));
    expect((await post('key-10', 'Day')).replayed).toBe('true');
    now += 24 * 3_600_000 + 1;
    me = await signedIn(fixture.deps, MERCHANT);
    await forget.run(Object.assign(Object.create(null), context));
    expect((await post('key-10', 'Day')).replayed).toBeNull();
  });
});

it('accepts a key at every POST of a session, except those of the session itself', () => {
  const named = methods.filter(acceptsIdempotencyKey).map(({ name }) => name);
  expect(named).toEqual(
    expect.arrayContaining(['reports.export', 'invitations.send', 'disputes.open']),
  );
  for (const { name, method, access, idempotencyField } of methods) {
    const expected = method === 'POST' && access === 'session' && idempotencyField === undefined;
    expect(named.includes(name), name).toBe(expected && !name.startsWith('auth.'));
  }
});
