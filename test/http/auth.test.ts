import { createPublicClient, custom, http, keccak256, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Anvil, startAnvil } from '../../engine/cli/stack/anvil.ts';
import { ErrorBody } from '../../engine/contract/envelope.ts';
import { registry } from '../../engine/contract/registry.ts';
import { SESSION_COOKIE } from '../../engine/http/auth/cookie.ts';
import { IDLE_SECONDS, NONCE_SECONDS, SESSION_SECONDS } from '../../engine/http/auth/times.ts';
import type { AppDeps } from '../../engine/http/deps.ts';
import { testClient } from '../support/chain.ts';
import { account } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { signedIn } from './support/session.ts';
import { smallHistory } from './support/small-history.ts';
import { approvingWallet, contractWallet } from './support/wallet.ts';

const ORIGIN = 'https://shop.example';
const OTHER_ORIGIN = 'https://other.example:8443';

type Fields = Parameters<typeof createSiweMessage>[0];

describe('sign-in', () => {
  const signer = privateKeyToAccount(generatePrivateKey());
  let fixture: ApiFixture;
  let anvil: Anvil;
  let now = Date.UTC(2026, 0, 1);
  let changes: Partial<AppDeps>;

  beforeAll(async () => {
    anvil = await startAnvil({ logFile: '/dev/null' });
    fixture = await ApiFixture.open({
      clock: () => now,
      client: createPublicClient({ transport: http(anvil.url) }),
      allowedOrigins: [ORIGIN, OTHER_ORIGIN],
    });
  });
  beforeEach(() => {
    changes = {};
  });
  afterAll(async () => {
    await fixture.close();
    await anvil.stop();
  });

  function send(path: string, init: RequestInit = {}) {
    return fixture.app(changes).request(`/v1/auth/${path}`, init);
  }

  async function freshNonce(): Promise<string> {
    const body = z.object({ data: registry.auth.nonce.output });
    return body.parse(await (await send('nonce')).json()).data.nonce;
  }

  async function messageOf(fields: Partial<Fields> = {}): Promise<string> {
    return createSiweMessage({
      address: signer.address,
      domain: 'shop.example',
      uri: `${ORIGIN}/sign-in`,
      version: '1',
      chainId: CHAIN_ID,
      nonce: fields.nonce ?? (await freshNonce()),
      issuedAt: new Date(now),
      ...fields,
    });
  }

  function post(message: string, signature: string, headers: Record<string, string> = {}) {
    return send('sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: ORIGIN, ...headers },
      body: JSON.stringify({ message, signature }),
    });
  }

  async function signIn(message: string, headers: Record<string, string> = {}) {
    return await post(message, await signer.signMessage({ message }), headers);
  }

  async function refusal(response: Response) {
    const { error } = ErrorBody.parse(await response.json());
    expect(response.headers.get('set-cookie')).toBeNull();
    return { status: response.status, message: error.message, issues: error.issues };
  }

  /** The cookie and the CSRF token of a successful sign-in. */
  async function opened(response: Response) {
    expect(response.status).toBe(200);
    const body = z.object({ data: registry.auth.signIn.output });
    const { data } = body.parse(await response.json());
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    const writing = { cookie, origin: ORIGIN, 'x-csrf-token': data.csrfToken };
    return { ...data, cookie, writing };
  }

  function statusOf(cookie: string): Promise<number> {
    return Promise.resolve(send('session', { headers: { cookie } })).then(({ status }) => status);
  }

  it('opens a session with a cookie that only this host receives over TLS, and no script', async () => {
    const response = await signIn(await messageOf());
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(new RegExp(`^${SESSION_COOKIE}=[A-Za-z0-9_-]{43}; `));
    expect(cookie.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      `Max-Age=${SESSION_SECONDS}`,
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const session = await opened(response);
    expect(session).toMatchObject({
      address: signer.address.toLowerCase(),
      signedInAt: new Date(now).toISOString(),
      expiresAt: new Date(now + SESSION_SECONDS * 1_000).toISOString(),
    });
    const again = await send('session', { headers: { cookie: session.cookie } });
    const { data } = z.object({ data: registry.auth.session.output }).parse(await again.json());
    expect(data.csrfToken).toBe(session.csrfToken);
  });

  it('stores neither the token nor the CSRF token', async () => {
    const { cookie, csrfToken } = await opened(await signIn(await messageOf()));
    const rows = await fixture.pool`select session::text as text from commerce.session`;
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(cookie.split('=')[1]);
    expect(stored).not.toContain(csrfToken);
  });

  it('accepts a nonce once, even if the same message arrives ten times concurrently', async () => {
    const message = await messageOf();
    const signature = await signer.signMessage({ message });
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(message, signature)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(401)]);
    expect((await post(message, signature)).status).toBe(401);
  });

  it('rejects a nonce that it did not issue, or that has expired', async () => {
    const foreign = await refusal(await signIn(await messageOf({ nonce: 'abcdefgh12345678' })));
    expect(foreign).toMatchObject({ status: 401, message: expect.stringContaining('nonce') });
    const nonce = await freshNonce();
    now += NONCE_SECONDS * 1_000;
    expect((await signIn(await messageOf({ nonce }))).status).toBe(401);
    const inTime = await freshNonce();
    now += NONCE_SECONDS * 1_000 - 1;
    expect((await signIn(await messageOf({ nonce: inTime }))).status).toBe(200);
  });

  it('stores at most the newest 65536 nonces', async () => {
    const nonce = await freshNonce();
    await fixture.pool`
      select setval('commerce.sign_in_nonce_slot', 65535), slot
      from commerce.sign_in_nonce where nonce = ${nonce}`;
    await fixture.pool`update commerce.sign_in_nonce set slot = 0 where nonce = ${nonce}`;
    await freshNonce();
    expect((await signIn(await messageOf({ nonce }))).status).toBe(401);
  });

  const wrong: [string, Partial<Fields>, string][] = [
    ['the domain of another site', { domain: 'evil.example' }, 'domain'],
    ['the domain of another allowed origin', { domain: 'other.example:8443' }, 'domain'],
    ['the domain without the port of its URI', { domain: 'other.example' }, 'domain'],
    ['the URI of another site', { uri: 'https://evil.example/' }, 'URI'],
    ['a URI of another scheme', { uri: 'http://shop.example/' }, 'URI'],
    ['a URI that only begins like ours', { uri: 'https://shop.example.evil.example/' }, 'URI'],
    ['a URI with our name for a user', { uri: 'https://shop.example@evil.example/' }, 'URI'],
    ['another scheme', { scheme: 'http' }, 'scheme'],
    ['another chain', { chainId: 1 }, 'chain'],
  ];
  it.each(wrong)('refuses a message with %s', async (_what, fields, word) => {
    const answer = await refusal(await signIn(await messageOf(fields)));
    expect(answer).toMatchObject({ status: 401, message: expect.stringContaining(word) });
  });

  it('refuses a message outside its validity period, to the millisecond', async () => {
    const at = (milliseconds: number) => new Date(now + milliseconds);
    const old = NONCE_SECONDS * 1_000;
    const cases: [Partial<Fields>, number][] = [
      [{ expirationTime: at(0) }, 401],
      [{ expirationTime: at(1) }, 200],
      [{ notBefore: at(1) }, 401],
      [{ notBefore: at(0) }, 200],
      [{ issuedAt: at(60_001) }, 401],
      [{ issuedAt: at(60_000) }, 200],
      [{ issuedAt: at(-old - 1) }, 401],
      [{ issuedAt: at(-old) }, 200],
    ];
    for (const [fields, status] of cases) {
      const answer = await signIn(await messageOf(fields));
      expect(answer.status, JSON.stringify(fields)).toBe(status);
    }
  });

  it('accepts times in another zone and without milliseconds', async () => {
    const local = new Date(now + 3_600_000).toISOString().replace(/\.\d+Z$/, '+01:00');
    const message = (await messageOf()).replace(/Issued At: .*/, `Issued At: ${local}`);
    expect((await signIn(message)).status).toBe(200);
  });

  it('reports a malformed message, or one with extra content, as an invalid field', async () => {
    const good = await messageOf();
    for (const message of [
      'hello',
      good.replace('Version: 1', 'Version: 2'),
      good.replace('Chain ID: 31337', 'Chain ID: 031337'),
      good.replace('\n\nURI', '\n\nI owe you\nURI'),
      `${good}\nNonce: abcdefgh`,
      `x\n${good}`,
      good.replace(signer.address, signer.address.toLowerCase()),
      good.replace(/Issued At: .*/, 'Issued At: today'),
    ]) {
      const answer = await refusal(await signIn(message));
      expect(answer, message).toMatchObject({ status: 400, issues: [{ path: 'message' }] });
    }
  });

  it('refuses the signature of another account, of another message, and no signature', async () => {
    const other = privateKeyToAccount(generatePrivateKey());
    const message = await messageOf();
    const byOther = await other.signMessage({ message });
    expect((await refusal(await post(message, byOther))).status).toBe(401);
    const second = await messageOf();
    const ofOther = await signer.signMessage({ message });
    expect((await refusal(await post(second, ofOther))).status).toBe(401);
    for (const signature of ['0x00', `0x${'ff'.repeat(65)}`, `0x${'64926492'.repeat(8)}`]) {
      expect((await refusal(await post(await messageOf(), signature))).status).toBe(401);
    }
  });

  it('refuses a foreign origin, and an origin that the message was not signed for', async () => {
    const message = await messageOf();
    const foreign = await signIn(message, { origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect((await signIn(message, { origin: OTHER_ORIGIN })).status).toBe(401);
    expect((await signIn(message)).status).toBe(200);
  });

  it('accepts contract wallets: by ERC-1271 once deployed, by ERC-6492 before', async () => {
    const wallet = contractWallet(keccak256(toHex('open sesame')));
    const fields = { address: wallet.address };
    const wrongSecret = keccak256(toHex('open barley'));
    const undeployed = contractWallet(wrongSecret).undeployedSignature;
    expect((await post(await messageOf(fields), wallet.signature)).status).toBe(401);
    expect((await post(await messageOf(fields), undeployed)).status).toBe(401);
    const before = await opened(await post(await messageOf(fields), wallet.undeployedSignature));
    expect(before.address).toBe(wallet.address.toLowerCase());
    await wallet.deploy(testClient(anvil.url));
    await opened(await post(await messageOf(fields), wallet.signature));
    expect((await post(await messageOf(fields), wrongSecret)).status).toBe(401);
  });

  it('accepts the empty signature of a contract wallet that has approved the message', async () => {
    const wallet = approvingWallet();
    const fields = { address: wallet.address };
    expect((await post(await messageOf(fields), '0x')).status).toBe(401);
    await wallet.deploy(testClient(anvil.url));
    const opening = await opened(await post(await messageOf(fields), '0x'));
    expect(opening.address).toBe(wallet.address.toLowerCase());
    expect((await post(await messageOf(fields), '0x01')).status).toBe(401);
    expect((await post(await messageOf(), '0x')).status).toBe(401);
  });

  it('needs the chain for a contract wallet only', async () => {
    const away = { request: () => Promise.reject(new Error('away')) };
    changes = { client: createPublicClient({ transport: custom(away) }) };
    const wallet = contractWallet(keccak256(toHex('open sesame')));
    const answer = await post(await messageOf({ address: wallet.address }), wallet.signature);
    expect(await refusal(answer)).toMatchObject({ status: 503 });
    expect((await signIn(await messageOf())).status).toBe(200);
  });

  it('ends the session that is presented, and no other', async () => {
    const first = await opened(await signIn(await messageOf()));
    const other = await opened(await signIn(await messageOf()));
    const second = await opened(await signIn(await messageOf(), { cookie: first.cookie }));
    expect(await statusOf(first.cookie)).toBe(401);
    expect(await statusOf(second.cookie)).toBe(200);
    expect(await statusOf(other.cookie)).toBe(200);
  });
});

describe('a session', () => {
  let fixture: ApiFixture;
  let now = Date.UTC(2026, 0, 1);

  beforeAll(async () => {
    fixture = await ApiFixture.open({ clock: () => now });
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(() => fixture.close());

  async function status(path: string, init: RequestInit = {}): Promise<number> {
    return (await fixture.app().request(path, init)).status;
  }

  async function listed(headers: Readonly<Record<string, string>>) {
    const body = z.object({ data: registry.auth.sessions.output });
    const response = await fixture.app().request('/v1/auth/sessions', { headers });
    return body.parse(await response.json()).data.items;
  }

  it('ends a session after a day without requests, and after a week in any case', async () => {
    const { reading: headers } = await signedIn(fixture.deps, account(40));
    const alive = () => status('/v1/auth/session', { headers });
    const start = now;
    for (let day = 1; day <= 7; day += 1) {
      now += IDLE_SECONDS * 1_000 - 1;
      expect(await alive()).toBe(200);
    }
    now = start + SESSION_SECONDS * 1_000 - 1;
    expect(await alive()).toBe(200);
    now += 1;
    expect(await alive()).toBe(401);

    const idle = await signedIn(fixture.deps, account(40));
    now += IDLE_SECONDS * 1_000;
    expect(await status('/v1/auth/session', { headers: idle.reading })).toBe(401);
  });

  it('lists a session only to its owner, who can end it', async () => {
    const current = await signedIn(fixture.deps, account(41));
    now += 1_000;
    const other = await signedIn(fixture.deps, account(41));
    const stranger = await signedIn(fixture.deps, account(42));
    const items = await listed(current.reading);
    expect(items.map(({ id, current }) => [id, current])).toEqual([
      [other.id, false],
      [current.id, true],
    ]);
    const revoke = (id: string, headers: Readonly<Record<string, string>>) =>
      status(`/v1/auth/sessions/${id}`, { method: 'DELETE', headers });
    expect(await revoke(other.id, stranger.writing)).toBe(404);
    expect(await status('/v1/auth/session', { headers: other.reading })).toBe(200);
    expect(await revoke(other.id, current.writing)).toBe(200);
    expect(await revoke(other.id, current.writing)).toBe(404);
    expect(await status('/v1/auth/session', { headers: other.reading })).toBe(401);
    expect((await listed(current.reading)).map(({ id }) => id)).toEqual([current.id]);
  });

  it('removes the session and its cookie at sign-out', async () => {
    const { writing, reading } = await signedIn(fixture.deps, account(43));
    const response = await fixture
      .app()
      .request('/v1/auth/sign-out', { method: 'POST', headers: writing });
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).toContain(`${SESSION_COOKIE}=; Max-Age=0`);
    expect(await status('/v1/auth/session', { headers: reading })).toBe(401);
  });

  it('rejects the CSRF token of another session, and another origin', async () => {
    const mine = await signedIn(fixture.deps, account(44));
    const other = await signedIn(fixture.deps, account(44));
    const signOut = (headers: Record<string, string>) =>
      fixture.app().request('/v1/auth/sign-out', { method: 'POST', headers });
    const refusals: [Record<string, string>, string][] = [
      [{ ...mine.writing, 'x-csrf-token': other.csrfToken }, 'CSRF_REJECTED'],
      [{ ...mine.writing, 'x-csrf-token': '' }, 'CSRF_REJECTED'],
      [{ ...mine.writing, origin: 'https://shop.example.evil.example' }, 'ORIGIN_REJECTED'],
      [{ ...mine.writing, origin: 'https://SHOP.example' }, 'ORIGIN_REJECTED'],
      [{ ...mine.writing, origin: 'null' }, 'ORIGIN_REJECTED'],
    ];
    for (const [headers, code] of refusals) {
      const response = await signOut(headers);
      expect(response.status).toBe(403);
      expect(ErrorBody.parse(await response.json()).error.code).toBe(code);
    }
    expect((await signOut({ ...mine.writing })).status).toBe(200);
  });

  it('limits an account to 20 sessions: another one ends the oldest', async () => {
    const all = [];
    for (let i = 0; i < 21; i += 1) {
      now += 1;
      all.push(await signedIn(fixture.deps, account(45)));
    }
    const [first, second] = all;
    expect(await status('/v1/auth/session', { headers: { ...first?.reading } })).toBe(401);
    expect(await status('/v1/auth/session', { headers: { ...second?.reading } })).toBe(200);
    expect(await listed({ ...second?.reading })).toHaveLength(20);
  });

  it('leaves out campaigns that the account joined, with a cursor that is only valid for that list', async () => {
    const joiner = await signedIn(fixture.deps, account(11));
    const stranger = await signedIn(fixture.deps, account(999));
    const Page = z.object({ data: registry.campaigns.list.output });
    const list = async (query: string, headers: Readonly<Record<string, string>>) => {
      const response = await fixture.app().request(`/v1/campaigns?${query}`, { headers });
      return Page.parse(await response.json()).data;
    };
    expect(await status('/v1/campaigns?excludeJoined=true')).toBe(401);
    const all = await list('excludeJoined=true', stranger.reading);
    const left = await list('excludeJoined=true', joiner.reading);
    const gone = all.items.filter(
      ({ campaignId }) => !left.items.some((one) => one.campaignId === campaignId),
    );
    expect(gone.map(({ campaignId }) => campaignId)).toEqual(['1']);
    expect([all.total, left.total]).toEqual([3, 2]);
    const { nextCursor } = await list('excludeJoined=true&limit=1', stranger.reading);
    const path = `/v1/campaigns?excludeJoined=true&limit=1&cursor=${nextCursor}`;
    expect(await status(path, { headers: stranger.reading })).toBe(200);
    expect(await status(path, { headers: joiner.reading })).toBe(400);
  });
});
