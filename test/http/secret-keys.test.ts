import { createHmac } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKeys, openStoredKeys, type StoredKeys } from '../../engine/cli/stored-keys.ts';
import {
  readSecrets,
  rotateSecret,
  SECRET_ACTIVATION_SECONDS,
  SECRET_OVERLAP_SECONDS,
} from '../../engine/db/commerce/secrets.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { readSignedLink, signLink } from '../../engine/http/files/signed-link.ts';
import { openPartnerPage } from '../../engine/http/resources/partners/partner-cursor.ts';
import { deriveKeys } from '../../engine/secrets/keys.ts';
import { ApiFixture } from './support/api-fixture.ts';

const log = pino({ level: 'silent' });
const link = { purpose: 'report', payload: ['rep_1', '0xabc'], expiresAt: 1_000 } as const;

describe('the secret of a deployment', () => {
  let fixture: ApiFixture;
  const pools: Pool[] = [];
  const opened: StoredKeys[] = [];

  beforeAll(async () => {
    fixture = await ApiFixture.open();
  });
  afterAll(async () => {
    for (const keys of opened) keys.stop();
    for (const pool of pools) await pool.end();
    await fixture.close();
  });

  async function open(pool = fixture.pool): Promise<StoredKeys> {
    const keys = await openStoredKeys(pool, log);
    opened.push(keys);
    return keys;
  }
  const reads = (keys: StoredKeys, token: string) =>
    readSignedLink(keys, 'report', token, 0) !== undefined;
  /** Lets that much time pass for the secrets that are stored. */
  const age = async (seconds: number) =>
    await fixture.pool`
      update commerce.secret set created_at = created_at - make_interval(secs => ${seconds})`;
  const empty = async () => await fixture.pool`delete from commerce.secret`;

  it('creates the secret of a deployment at the first start, once for all APIs that start together', async () => {
    await empty();
    const url = new URL(fixture.databaseUrl);
    const spelt = [url.href, `${url.href}?application_name=other`];
    if (url.hostname === 'localhost') spelt.push(url.href.replace('localhost', '127.0.0.1'));
    if (url.hostname === '127.0.0.1') spelt.push(url.href.replace('127.0.0.1', 'localhost'));
    const all = await Promise.all(
      spelt.map(async (one) => {
        const pool = openPool(one, { max: 2 });
        pools.push(pool);
        return await open(pool);
      }),
    );
    expect(await fixture.pool`select 1 from commerce.secret`).toHaveLength(1);
    const [first] = all;
    if (first === undefined) throw new Error('no API');
    const next = { key: '5', tie: 'a'.repeat(64) };
    for (const keys of all) {
      expect(reads(keys, signLink(first, link))).toBe(true);
      const { secret, cursor } = openPartnerPage(first, 'partners.list', {});
      const page = openPartnerPage(keys, 'partners.list', { cursor: cursor(next) });
      expect(page).toMatchObject({ after: next, secret });
    }
  });

  it('the secret of a deployment cannot be guessed from the URL of the database', async () => {
    const keys = await open();
    const url = fixture.databaseUrl;
    const body = Buffer.from(JSON.stringify([1_000, link.payload])).toString('base64url');
    const signed = (key: string | Uint8Array, text: string) =>
      `${body}.${createHmac('sha256', key).update(text).digest('base64url')}`;
    const forged = [
      // As links were signed when the URL was the key.
      signed(url, `tributary link report ${body}`),
      signed(url, body),
      signLink(deriveKeys([url]), link),
      signLink(deriveKeys([new URL(url).password]), link),
      signLink(deriveKeys(['']), link),
    ];
    expect(forged.filter((token) => reads(keys, token))).toEqual([]);
  });

  it('hashes API keys, and makes pseudonyms, under keys that outlive every change of the secret', async () => {
    await empty();
    await fixture.pool`delete from commerce.api_key_pepper`;
    const silent = { warn: () => {} };
    const pepperOf = async (secret?: string, secretPrevious?: string) => {
      const keys = await openKeys({ secret, secretPrevious }, fixture.pool, silent);
      const pepper = Buffer.from(keys.current('API key')).toString('hex');
      const ofPseudonyms = Buffer.from(keys.current('pseudonym')).toString('hex');
      keys.stop();
      expect(ofPseudonyms).not.toBe(pepper);
      return `${pepper} ${ofPseudonyms}`;
    };
    const [first, again] = ['first', 'second', 'third'].map((one) => one.repeat(8));
    const pepper = await pepperOf(first);
    expect(await pepperOf(first)).toBe(pepper);
    expect(await pepperOf(again, first)).toBe(pepper);
    // Sealed under the newer secret by now.
    expect(await pepperOf(again)).toBe(pepper);
    expect(await pepperOf(first)).not.toBe(pepper);
    const [row] = await fixture.pool`select sealed from commerce.api_key_pepper`;
    expect(String(row?.sealed)).not.toContain(pepper.split(' ')[0]);
  });

  it('gives each purpose a key of its own', () => {
    const keys = deriveKeys(['one secret']);
    const purposes = ['link report', 'link fulfillment', 'partner cursor', 'rate limit'] as const;
    const all = purposes.map((purpose) => Buffer.from(keys.current(purpose)).toString('hex'));
    expect(new Set(all).size).toBe(purposes.length);
    expect(all.every((key) => key.length === 64)).toBe(true);
  });

  it('signs with a new secret only after every API has read it, and accepts it immediately', async () => {
    await empty();
    const [one, two] = [await open(), await open()];
    const before = signLink(one, link);
    await rotateSecret(fixture.pool);
    await one.refresh();
    // One knows the new secret, two does not: both accept what either signs.
    expect(reads(two, signLink(one, link))).toBe(true);
    expect(signLink(one, link)).toBe(before);
    await two.refresh();
    await age(SECRET_ACTIVATION_SECONDS + 1);
    await one.refresh();
    const after = signLink(one, link);
    expect(after).not.toBe(before);
    expect(reads(two, after)).toBe(true);
    expect(reads(one, before)).toBe(true);
  });

  it('accepts links and cursors of the previous secret for a day, without signing new ones with it', async () => {
    await empty();
    const keys = await open();
    const next = { key: '5', tie: 'b'.repeat(64) };
    const pageOf = (input: object) => openPartnerPage(keys, 'partners.list', { ...input });
    const start = pageOf({});
    const cursor = start.cursor(next);
    const old = signLink(keys, link);
    await rotateSecret(fixture.pool);
    await age(SECRET_ACTIVATION_SECONDS + 1);
    await keys.refresh();
    expect(reads(keys, old)).toBe(true);
    expect(signLink(keys, link)).not.toBe(old);
    // A list is paged to its end in the order that it began with.
    expect(pageOf({ cursor }).secret).toBe(start.secret);
    expect(pageOf({}).secret).not.toBe(start.secret);

    await age(SECRET_OVERLAP_SECONDS);
    await keys.refresh();
    expect(reads(keys, old)).toBe(false);
    expect(() => pageOf({ cursor })).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: 'cursor' })] }),
    );
    await rotateSecret(fixture.pool);
    expect(await fixture.pool`select 1 from commerce.secret`).toHaveLength(2);
  });

  it('rejects all older links from the next read on if the previous secret is deleted', async () => {
    await empty();
    const keys = await open();
    const old = signLink(keys, link);
    await rotateSecret(fixture.pool, true);
    await keys.refresh();
    expect(reads(keys, old)).toBe(false);
    expect(reads(keys, signLink(keys, link))).toBe(true);
    expect(await readSecrets(fixture.pool)).toHaveLength(1);
  });

  it('accepts a configured secret and a previous one, whose links are accepted and which signs nothing', () => {
    const old = deriveKeys(['the old secret of 32 characters or more']);
    const both = deriveKeys([
      'the new secret of 32 characters or more',
      'the old secret of 32 characters or more',
    ]);
    expect(readSignedLink(both, 'report', signLink(old, link), 0)).toEqual(link.payload);
    expect(readSignedLink(old, 'report', signLink(both, link), 0)).toBeUndefined();
  });
});
