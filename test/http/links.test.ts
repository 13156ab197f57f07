import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeReferralCode } from '../../engine/core/referral-code.ts';
import { networkOf } from '../../engine/http/network-address.ts';
import { visitorHash } from '../../engine/http/resources/referrals/referral.ts';
import { account } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { saveDistributor } from './support/save-distributor.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const codeOf = (nodeId: string) => encodeReferralCode(nodeId) ?? '';
const { history, marks } = smallHistory();

describe('links and referral codes', () => {
  let fixture: ApiFixture;
  let now = Date.UTC(2026, 0, 5, 23, 59);

  beforeAll(async () => {
    fixture = await ApiFixture.open({ clock: () => now });
    await fixture.settle(history.facts);
    await saveProfiles(fixture.pool);
  });
  afterAll(() => fixture.close());

  it('returns a link with its campaign, its code and its counters', async () => {
    const { data, meta } = await fixture.client().links.get({ nodeId: '1' });
    expect(data).toMatchObject({
      chainId: CHAIN_ID,
      nodeId: '1',
      code: '168',
      parentNodeId: null,
      depth: 1,
      owner: account(11),
      ownerHandle: null,
      childCount: 1,
      sales: { pending: 0, finalized: 0, refunded: 1 },
      campaign: {
        campaignId: '1',
        state: 'FUNDED_ACTIVE',
        merchant: { slug: 'acme' },
        product: { id: 'p-beans', title: 'Mountain beans' },
        token: { symbol: 'TUSD' },
        price: '1000000',
        commissionBps: 1_000,
        holdSeconds: 600,
        inviteOnly: false,
        hidden: false,
      },
    });
    expect(meta.chain).toMatchObject({ chainId: CHAIN_ID, blockNumber: String(marks.last) });
    expect(JSON.stringify(data)).not.toContain('dl.example');
  });

  it('counts a sale by its state: a reversed one as finalized, a direct one for no link', async () => {
    const { links } = fixture.client();
    const sales = [];
    for (const nodeId of ['1', '2', '4', '5', '7']) {
      sales.push((await links.get({ nodeId })).data.sales);
    }
    expect(sales).toEqual([
      { pending: 0, finalized: 0, refunded: 1 },
      { pending: 0, finalized: 0, refunded: 0 },
      { pending: 0, finalized: 1, refunded: 0 },
      { pending: 0, finalized: 1, refunded: 0 },
      { pending: 1, finalized: 0, refunded: 0 },
    ]);
  });

  it('serves a node whose campaign has no description', async () => {
    const { data } = await fixture.client().links.get({ nodeId: '5' });
    expect(data.campaign.merchant.slug).toBe(account(1_001));
    expect(data.campaign.token.symbol).toBe('50%_OFF');
  });

  it('returns a link as of the settled block', async () => {
    const { pool } = fixture;
    await pool`update ledger.head set settled_number = ${marks.sold}`;
    const { data } = await fixture.client().links.get({ nodeId: '1' });
    expect(data.sales).toEqual({ pending: 1, finalized: 0, refunded: 0 });
    await pool`update ledger.head set settled_number = 100`;
    const early = await fixture.app().request('/v1/links/1');
    expect(early.status).toBe(404);
    await pool`update ledger.head set settled_number = ${marks.last}`;
  });

  it('returns 404 for an unknown node, and 400 for an invalid id', async () => {
    for (const nodeId of ['99', 'demo-1', '9'.repeat(78)]) {
      expect((await fixture.app().request(`/v1/links/${nodeId}`)).status, nodeId).toBe(404);
    }
    for (const nodeId of ['abc', '-1', '01', '1.5', '9'.repeat(79)]) {
      expect((await fixture.app().request(`/v1/links/${nodeId}`)).status, nodeId).toBe(400);
    }
  });

  it('finds a link by a code as people write it', async () => {
    const { referrals, links } = fixture.client();
    const { data: link } = await links.get({ nodeId: '4' });
    const code = codeOf('4');
    for (const written of [code, code.toLowerCase(), `${code.slice(0, 1)}-${code.slice(1)}`]) {
      const { data } = await referrals.get({ code: written });
      expect(data).toEqual({ code, link, open: true, closedReason: null });
    }
  });

  it('refuses a mistyped code, and returns 404 for the code of an unknown node', async () => {
    for (const code of ['169', 'ABC', 'x', '%00%00%00', '1'.repeat(33)]) {
      const response = await fixture.app().request(`/v1/referrals/${code}`);
      expect(response.status, code).toBe(400);
      expect(await response.json()).toMatchObject({ error: { issues: [{ path: 'code' }] } });
    }
    for (const path of [codeOf('999'), `${codeOf('999')}/open`]) {
      const method = path.endsWith('open') ? 'POST' : 'GET';
      const response = await fixture.app().request(`/v1/referrals/${path}`, { method });
      expect(response.status, path).toBe(404);
    }
  });

  it('counts a click, and the same visitor once', async () => {
    const { referrals } = fixture.client();
    const code = codeOf('2');
    for (let click = 0; click < 3; click += 1) {
      const { data } = await referrals.open({ code });
      expect(data).toEqual({ code, nodeId: '2', campaignId: '1', counted: true });
    }
    expect(await daysOf('2')).toEqual([{ day: '2026-01-05', opens: 3, visitors: 1 }]);
  });

  it('distinguishes visitors without storing or logging their addresses', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line) => lines.push(line) });
    const app = fixture.app({ trustedProxies: 1, logger });
    const path = `/v1/referrals/${codeOf('7')}/open`;
    for (const ip of ['203.0.113.77', '203.0.113.78', '203.0.113.77', '2001:db8::77']) {
      const headers = { 'x-forwarded-for': ip };
      expect((await app.request(path, { method: 'POST', headers })).status).toBe(200);
    }
    expect(await daysOf('7')).toEqual([{ day: '2026-01-05', opens: 4, visitors: 3 }]);
    const rows = await fixture.pool`
      select v::text as row, length(visitor) as bytes from commerce.referral_visitor v
      where node_id = 7`;
    expect(rows.map(({ bytes }) => bytes)).toEqual([16, 16, 16]);
    const stored = rows.map(({ row }) => row).join() + lines.join();
    for (const address of ['203.0.113', Buffer.from('203.0.113').toString('hex'), '2001:db8']) {
      expect(stored).not.toContain(address);
    }
  });

  it('counts at most 20 clicks of a visitor a day', async () => {
    const { referrals } = fixture.client();
    const counted = [];
    for (let click = 0; click < 22; click += 1) {
      counted.push((await referrals.open({ code: codeOf('3') })).data.counted);
    }
    expect(counted.filter(Boolean)).toHaveLength(20);
    expect(counted.slice(-2)).toEqual([false, false]);
    expect(await daysOf('3')).toEqual([{ day: '2026-01-05', opens: 20, visitors: 1 }]);
  });

  it('counts each of several concurrent clicks once', async () => {
    const { referrals } = fixture.client();
    await Promise.all(Array.from({ length: 12 }, () => referrals.open({ code: codeOf('6') })));
    expect(await daysOf('6')).toEqual([{ day: '2026-01-05', opens: 12, visitors: 1 }]);
  });

  it('stops counting visitors of a link at 10,000 a day', async () => {
    await fixture.pool`
      insert into commerce.referral_day values (2, 5, '2026-01-05', 10000, 10000)`;
    const { data } = await fixture.client().referrals.open({ code: codeOf('5') });
    expect(data.counted).toBe(false);
  });

  it('deletes yesterday’s visitors and key with the first click of a day', async () => {
    const keysBefore = await fixture.pool`select day::text, salt from commerce.referral_salt`;
    now += 120_000;
    await fixture.client().referrals.open({ code: codeOf('2') });
    const keys = await fixture.pool`select day::text, salt from commerce.referral_salt`;
    const visitors = await fixture.pool`select day::text, opens from commerce.referral_visitor`;
    expect(keysBefore.map(({ day }) => day)).toEqual(['2026-01-05']);
    expect(keys.map(({ day }) => day)).toEqual(['2026-01-06']);
    expect(keys[0]?.salt).not.toEqual(keysBefore[0]?.salt);
    expect([...visitors]).toEqual([{ day: '2026-01-06', opens: 1 }]);
    expect(await daysOf('2')).toEqual([
      { day: '2026-01-05', opens: 3, visitors: 1 },
      { day: '2026-01-06', opens: 1, visitors: 1 },
    ]);
  });

  it('names the owner’s handle only if it is public', async () => {
    const { links } = fixture.client();
    const profile = { address: account(14), handle: 'dora', displayName: 'Dora' };
    await saveDistributor(fixture.pool, { ...profile, visibility: 'pseudonymous' });
    expect((await links.get({ nodeId: '4' })).data.ownerHandle).toBeNull();
    await saveDistributor(fixture.pool, { ...profile, visibility: 'public' });
    expect((await links.get({ nodeId: '4' })).data.ownerHandle).toBe('dora');
  });

  async function daysOf(nodeId: string) {
    const rows = await fixture.pool<{ day: string; opens: string; visitors: string }[]>`
      select day::text, opens, visitors from commerce.referral_day
      where node_id = ${nodeId} order by day`;
    return rows.map(({ day, opens, visitors }) => ({
      day,
      opens: Number(opens),
      visitors: Number(visitors),
    }));
  }
});

describe('a visitor’s hash', () => {
  const key = new Uint8Array(32).fill(7);

  it('differs by address, by link and by key, and holds no address', () => {
    const hashes = [
      visitorHash(key, '1/1', '203.0.113.5'),
      visitorHash(key, '1/1', '203.0.113.6'),
      visitorHash(key, '1/2', '203.0.113.5'),
      visitorHash(new Uint8Array(32).fill(8), '1/1', '203.0.113.5'),
    ].map((hash) => Buffer.from(hash).toString('hex'));
    expect(new Set(hashes).size).toBe(4);
    expect(hashes[0]).toHaveLength(32);
    expect(visitorHash(key, '1/1', '203.0.113.5')).toEqual(visitorHash(key, '1/1', '203.0.113.5'));
  });

  it('counts an IPv6 network as one visitor, and a mapped IPv4 address as that address', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:0db8:1:2::9'));
    expect(networkOf('2001:db8:1:2::')).not.toBe(networkOf('2001:db8:1:3::'));
    expect(networkOf('::ffff:203.0.113.5')).toBe('203.0.113.5');
    expect(networkOf('::1')).toBe('0:0:0:0');
    expect(networkOf('unknown')).toBe('unknown');
  });
});
