import { decodeFunctionData, zeroAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import type { Client } from '../../engine/client/index.ts';
import { optionalResources } from '../../engine/contract/registry.ts';
import { expireInvitations } from '../../engine/db/commerce/invitations.ts';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { keyOf } from './support/api-keys.ts';
import { signedIn } from './support/session.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const ACME = account(1_000);
const OTHER = account(1_001);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Campaign 1 of the small history is open, 3 by invitation only, 4 ended; all Acme's. 2 is another's. */
describe('invitations', () => {
  let fixture: ApiFixture;
  let acme: Client;
  let now = Date.parse('2026-01-01T00:00:00Z');

  beforeAll(async () => {
    fixture = await ApiFixture.open({ clock: () => now });
    const { history } = smallHistory();
    history.nextBlock();
    history.create('4');
    history.schedule('4');
    history.add('4', { name: 'CampaignEnded', args: {} });
    history.create('5', { nodeCapacity: 0 });
    history.schedule('5');
    const allowed = { account: account(33), allowed: true };
    history.add('3', { name: 'DistributorAllowed', args: allowed });
    await fixture.settle(history.facts);
    await saveProfiles(fixture.pool);
    acme = await fixture.clientAs(ACME);
  });
  afterAll(() => fixture.close());

  const whole = (
    n: number,
    changes: Partial<Parameters<Client['invitations']['send']>[0]> = {},
  ) => ({
    distributor: account(n),
    campaignId: '1',
    message: 'Come and sell beans.',
    terms: 'No spam.',
    expiresAt: new Date(now + HOUR_MS).toISOString(),
    ...changes,
  });

  /** The function and its arguments, addresses in lower case. */
  function called(transaction: { data: string } | null) {
    if (transaction === null) return null;
    const data = transaction.data as `0x${string}`;
    const { functionName, args } = decodeFunctionData({ abi: referralCommerceAbi, data });
    return [functionName, ...args.map((one) => String(one).toLowerCase())];
  }

  it('sends an invitation under the policy in effect, and shows it only to both sides', async () => {
    const { data } = await acme.invitations.send(whole(30));
    const { transaction, ...invitation } = data;
    expect(transaction).toBeNull();
    expect(invitation).toMatchObject({
      distributor: account(30),
      campaignId: '1',
      merchantId: 'm-acme',
      parentNodeId: null,
      policyHash: hash('policy 1 1'),
      status: 'pending',
      createdAt: '2026-01-01T00:00:00.000Z',
      withdrawnAt: null,
    });
    const invited = await fixture.clientAs(account(30));
    expect((await invited.invitations.mine()).data.items).toEqual([invitation]);
    expect((await acme.invitations.sent()).data.items).toEqual([invitation]);
    expect((await acme.invitations.mine()).data.items).toEqual([]);
    expect((await invited.invitations.sent()).data.items).toEqual([]);
  });

  it('returns to the merchant of an invite-only campaign the transaction that allows the account', async () => {
    const { data } = await acme.invitations.send(whole(31, { campaignId: '3' }));
    expect(called(data.transaction)).toEqual(['allowDistributor', '3', account(31), 'true']);
    const { data: known } = await acme.invitations.send(whole(33, { campaignId: '3' }));
    expect(known.transaction).toBeNull();
  });

  it('returns the join transaction to the distributor if the contract would accept it', async () => {
    const respond = async (n: number, campaignId: string) => {
      const client = await fixture.clientAs(account(n));
      const { items } = (await client.invitations.mine()).data;
      const id = items.find((one) => one.campaignId === campaignId)?.id ?? '';
      return (await client.invitations.respond({ id, response: 'accept' })).data;
    };
    const open = await respond(30, '1');
    expect(open.invitation.status).toBe('accepted');
    expect(called(open.transaction)).toEqual(['join', '1', hash('terms 1'), '0', zeroAddress]);
    const allowed = await respond(33, '3');
    expect(called(allowed.transaction)).toEqual(['join', '3', hash('terms 3'), '0', zeroAddress]);
    expect((await respond(31, '3')).transaction).toBeNull();
  });

  it('accepts one answer to an invitation, only from its recipient', async () => {
    const { id } = (await acme.invitations.send(whole(34))).data;
    const client = await fixture.clientAs(account(34));
    const stranger = await fixture.clientAs(account(35));
    await expect(stranger.invitations.respond({ id, response: 'accept' })).rejects.toMatchObject({
      status: 404,
    });
    const tries = await Promise.allSettled(
      (['accept', 'decline', 'accept'] as const).map((response) =>
        client.invitations.respond({ id, response, reason: 'Because.' }),
      ),
    );
    const refused = tries.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({ reason: { status: 409, code: 'CONFLICT' } });
    await expect(acme.invitations.withdraw({ id })).rejects.toMatchObject({ status: 409 });
  });

  it('allows one open invitation for an account and a campaign, even if sent concurrently', async () => {
    const tries = await Promise.allSettled(
      [1, 2, 3, 4].map(() => acme.invitations.send(whole(36))),
    );
    const sent = tries.filter(({ status }) => status === 'fulfilled');
    expect(sent).toHaveLength(1);
    expect(tries.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { status: 409, message: expect.stringContaining('not answered yet') },
    });
    expect((await acme.invitations.sent({ distributor: account(36) })).data.items).toHaveLength(1);
    await acme.invitations.send(whole(36, { campaignId: '3' }));
  });

  it('lets the sender withdraw an open invitation, and send it again', async () => {
    const { id } = (await acme.invitations.send(whole(37))).data;
    const other = await fixture.clientAs(OTHER);
    await expect(other.invitations.withdraw({ id })).rejects.toMatchObject({ status: 404 });
    const { data } = await acme.invitations.withdraw({ id });
    expect(data).toMatchObject({ status: 'withdrawn', withdrawnAt: '2026-01-01T00:00:00.000Z' });
    await expect(acme.invitations.withdraw({ id })).rejects.toMatchObject({ status: 409 });
    const client = await fixture.clientAs(account(37));
    await expect(client.invitations.respond({ id, response: 'accept' })).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('withdrawn'),
    });
    await acme.invitations.send(whole(37));
  });

  it('returns one invitation to both sides, with its answer, and to no other account', async () => {
    const { transaction: _, ...invitation } = (await acme.invitations.send(whole(60))).data;
    const { id } = invitation;
    const invited = await fixture.clientAs(account(60));
    for (const client of [acme, invited]) {
      const { data } = await client.invitations.get({ id });
      expect(data).toEqual({ ...invitation, respondedAt: null, reason: null });
    }
    await invited.invitations.respond({ id, response: 'decline', reason: 'No time.' });
    const answered = {
      status: 'declined',
      reason: 'No time.',
      respondedAt: '2026-01-01T00:00:00.000Z',
    };
    for (const client of [acme, invited]) {
      expect((await client.invitations.get({ id })).data).toEqual({ ...invitation, ...answered });
    }
    for (const n of [35, 1_001]) {
      const stranger = await fixture.clientAs(account(n));
      await expect(stranger.invitations.get({ id })).rejects.toMatchObject({ status: 404 });
    }
    await expect(acme.invitations.get({ id: 'none' })).rejects.toMatchObject({ status: 404 });
  });

  it('returns an invitation to members of the merchant’s team who act for it, and to no other account', async () => {
    const { transaction: _, ...sent } = (await acme.invitations.send(whole(70))).data;
    const { id } = sent;
    const enabled = new Set(optionalResources);
    const [member, stranger] = [account(71), account(72)];
    await fixture.pool`
      insert into commerce.team_member (id, merchant, account, role, status, invited_at, joined_at)
      values ('viewer-71', ${ACME}, ${member}, 'viewer', 'active', now(), now())`;
    const as = async (who: `0x${string}`, merchant?: `0x${string}`) => {
      const { csrfToken, reading } = await signedIn(fixture.deps, who);
      const session = { csrfToken, cookie: reading.cookie };
      return fixture.client({ enabled }, session, merchant ? { merchant } : {}).invitations;
    };
    const forAcme = await as(member, ACME);
    expect((await forAcme.sent({ distributor: account(70) })).data.items).toEqual([sent]);
    const whole70 = { ...sent, respondedAt: null, reason: null };
    expect((await forAcme.get({ id })).data).toEqual(whole70);
    await expect((await as(member)).get({ id })).rejects.toMatchObject({ status: 404 });
    await expect((await as(stranger, ACME)).get({ id })).rejects.toMatchObject({ status: 403 });
    expect((await (await as(account(70))).get({ id })).data).toEqual(whole70);
    const apiKey = await keyOf(fixture, member, { merchant: ACME });
    const keyed = fixture.client({ enabled }, undefined, { apiKey });
    expect((await keyed.invitations.get({ id })).data).toEqual(whole70);
    const received = (await acme.invitations.send(whole(71))).data.id;
    expect((await (await as(member)).get({ id: received })).data.id).toBe(received);
  });

  it('lists sent invitations of one campaign or one status, and names a campaign that is not the caller’s', async () => {
    const { id } = (await acme.invitations.send(whole(61, { campaignId: '3' }))).data;
    const { id: open } = (await acme.invitations.send(whole(61))).data;
    await acme.invitations.withdraw({ id });
    type Query = NonNullable<Parameters<Client['invitations']['sent']>[0]>;
    const found = async (query: Query) => {
      const { items } = (await acme.invitations.sent({ limit: 100, ...query })).data;
      return items.filter(({ distributor }) => distributor === account(61)).map((one) => one.id);
    };
    expect(await found({})).toEqual([open, id]);
    expect(await found({ campaignId: '3' })).toEqual([id]);
    expect(await found({ status: 'withdrawn' })).toEqual([id]);
    expect(await found({ status: 'pending', campaignId: '1' })).toEqual([open]);
    expect(await found({ status: 'pending', campaignId: '3' })).toEqual([]);
    const { items } = (await acme.invitations.sent({ limit: 100, campaignId: '3' })).data;
    expect(new Set(items.map(({ campaignId }) => campaignId))).toEqual(new Set(['3']));
    await expect(acme.invitations.sent({ campaignId: '2' })).rejects.toMatchObject({
      status: 403,
      issues: [{ path: 'campaignId' }],
    });
    await expect(acme.invitations.sent({ campaignId: '99' })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('refuses to invite the zero address', async () => {
    await expect(
      acme.invitations.send(whole(62, { distributor: zeroAddress })),
    ).rejects.toMatchObject({ status: 400, issues: [{ path: 'distributor' }] });
  });

  it('refuses an invitation with all reasons: invalid campaign, account and time', async () => {
    const past = new Date(now - 1).toISOString();
    const far = new Date(now + 400 * DAY_MS).toISOString();
    const send = (changes: Parameters<typeof whole>[1]) =>
      acme.invitations.send(whole(38, changes));
    await expect(
      send({ campaignId: '4', distributor: ACME, expiresAt: past }),
    ).rejects.toMatchObject({
      status: 422,
      issues: [
        { path: 'distributor', message: 'must not be yourself' },
        { path: 'campaignId', message: 'must be one that takes links: ended' },
        { path: 'expiresAt', message: 'must be in the future' },
      ],
    });
    await expect(send({ campaignId: '5' })).rejects.toMatchObject({
      issues: [{ path: 'campaignId', message: 'must be one that takes links: capacity_full' }],
    });
    await expect(send({ expiresAt: far })).rejects.toMatchObject({
      issues: [{ path: 'expiresAt', message: 'must be at most a year ahead' }],
    });
    await expect(send({ campaignId: '2' })).rejects.toMatchObject({ status: 403 });
    await expect(send({ campaignId: '99' })).rejects.toMatchObject({ status: 404 });
    expect((await acme.invitations.sent({ distributor: account(38) })).data.items).toEqual([]);
  });

  it('limits a merchant to 500 open invitations', async () => {
    const merchant = { id: 'm-2', address: OTHER, slug: 'two', name: 'Two' };
    await saveMerchant(fixture.pool, merchant);
    await fixture.pool`
      insert into commerce.invitation (id, merchant, merchant_id, campaign_id, distributor, message,
        terms, policy_hash, created_at, expires_at)
      select 'many' || n, ${OTHER}, 'm-2', 2, '0x' || lpad(to_hex(n + 5000), 40, '0'), '', '',
        ${hash('policy 2 1')}, ${new Date(now).toISOString()}::timestamptz,
        ${new Date(now + DAY_MS).toISOString()}::timestamptz
      from generate_series(1, 499) n`;
    const other = await fixture.clientAs(OTHER);
    const tries = await Promise.allSettled(
      [40, 41, 42].map((n) => other.invitations.send(whole(n, { campaignId: '2' }))),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(tries.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { status: 422 },
    });
  });

  it('returns an invitation as expired immediately, before the job records that', async () => {
    const { id } = (await acme.invitations.send(whole(50))).data;
    const client = await fixture.clientAs(account(50));
    const status = async () => (await client.invitations.mine()).data.items[0]?.status;
    now += HOUR_MS - 1;
    expect(await status()).toBe('pending');
    now += 1;
    expect(await status()).toBe('expired');
    expect((await client.invitations.mine({ status: 'pending' })).data.items).toEqual([]);
    expect((await client.invitations.mine({ status: 'expired' })).data.items).toHaveLength(1);
    await expect(client.invitations.respond({ id, response: 'accept' })).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('expired'),
    });
    const stored = async () =>
      await fixture.pool<{ status: string }[]>`
        select status from commerce.invitation where id = ${id}`;
    expect(await stored()).toEqual([{ status: 'pending' }]);
    expect(await expireInvitations(fixture.pool, new Date(now))).toBeGreaterThan(0);
    expect(await stored()).toEqual([{ status: 'expired' }]);
    expect(await expireInvitations(fixture.pool, new Date(now))).toBe(0);
    await acme.invitations.send(whole(50));
    expect((await client.invitations.mine()).data.items.map((one) => one.status)).toEqual([
      'pending',
      'expired',
    ]);
  });

  it('pages through invitations, newest first, and filters by a valid status', async () => {
    const all = [];
    for await (const one of acme.pages(acme.invitations.sent, { limit: 2 })) all.push(one.id);
    const { items } = (await acme.invitations.sent({ limit: 100 })).data;
    expect(all).toEqual(items.map(({ id }) => id));
    expect(new Set(all).size).toBeGreaterThan(5);
    await expect(acme.invitations.mine({ status: 'open' })).rejects.toMatchObject({
      status: 400,
      issues: [{ path: 'status', message: expect.stringContaining('withdrawn') }],
    });
  });

  it('lets an account ask to join an invite-only campaign, once until the merchant invites it', async () => {
    const asking = await fixture.clientAs(account(250));
    const ask = (campaignId: string, as = asking) =>
      as.joinRequests.send({ campaignId, message: ' I review coffee. ' });
    const issue = (message: string) => ({
      status: 422,
      issues: [{ path: 'campaignId', message: expect.stringContaining(message) }],
    });
    await expect(ask('1')).rejects.toMatchObject(issue('you can join this one'));
    await expect(ask('3', acme)).rejects.toMatchObject(issue('your own'));
    const allowed = await fixture.clientAs(account(33));
    await expect(ask('3', allowed)).rejects.toMatchObject(issue('you can join this one'));
    const { data: request } = await ask('3');
    expect(request).toMatchObject({
      ...{ campaignId: '3', distributor: account(250), message: 'I review coffee.' },
      ...{ status: 'pending', reason: null, answeredAt: null },
    });
    await expect(ask('3')).rejects.toMatchObject({ status: 409 });
    expect((await asking.joinRequests.mine({ campaignId: '3' })).data.items).toEqual([request]);
    expect((await asking.joinRequests.received()).data.items).toEqual([]);
    const waiting = async () =>
      (await acme.joinRequests.received({ status: 'pending', campaignId: '3' })).data.items;
    expect(await waiting()).toEqual([request]);

    const { id } = request;
    const strange = allowed.joinRequests.answer({ id, response: 'invite' });
    await expect(strange).rejects.toMatchObject({ status: 404 });
    const { data } = await acme.joinRequests.answer({ id, response: 'invite' });
    expect(called(data.transaction)).toEqual(['allowDistributor', '3', account(250), 'true']);
    expect(data.request.status).toBe('invited');
    const { data: invited } = await asking.invitations.mine();
    expect(invited.items[0]).toEqual(data.invitation);
    expect(await waiting()).toEqual([]);
    const twice = acme.joinRequests.answer({ id, response: 'decline' });
    await expect(twice).rejects.toMatchObject({ status: 409 });
  });

  it('declines a request with a reason, and takes no other for 30 days', async () => {
    let asking = await fixture.clientAs(account(251));
    const ask = async () =>
      (await asking.joinRequests.send({ campaignId: '3', message: 'Please.' })).data;
    const { id } = await ask();
    await acme.joinRequests.answer({ id, response: 'decline', reason: 'We are full.' });
    const [declined] = (await asking.joinRequests.mine()).data.items;
    expect(declined).toMatchObject({ status: 'declined', reason: 'We are full.' });
    await expect(ask()).rejects.toMatchObject({ status: 409 });
    now += 31 * DAY_MS;
    asking = await fixture.clientAs(account(251));
    expect((await ask()).status).toBe('pending');
    await fixture.pool`
      insert into commerce.join_request (id, merchant, campaign_id, terms_hash, distributor, message, created_at)
      select 'many-' || n, ${OTHER}, n, ${hash('terms')}, ${account(252)}, 'x', ${new Date(now)}
      from generate_series(100, 119) n`;
    const eager = await fixture.clientAs(account(252));
    const more = eager.joinRequests.send({ campaignId: '3', message: 'Please.' });
    await expect(more).rejects.toMatchObject({ status: 429 });
  });
});
