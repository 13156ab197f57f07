import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mailKinds } from '../../engine/core/notification.ts';
import { account } from '../support/history.ts';
import { MailNetwork, tokenIn } from './support/mail-network.ts';

const ANN = account(31);
const EVE = account(32);
const MAIL = 'ann@example.com';
const DAY_MS = 86_400_000;

describe('preferences of notifications', () => {
  let network: MailNetwork;

  beforeEach(async () => {
    network = await MailNetwork.open();
  });
  afterEach(() => network.close());

  const as = (owner: `0x${string}`) => network.fixture.signingClientAs(owner);

  it('returns no address until one is set, and all kinds', async () => {
    const { data } = await (await as(ANN)).notifications.preferences({});
    expect(data).toEqual({ email: null, status: null, kinds: mailKinds });
  });

  it('confirms an address with the token of the mail, once', async () => {
    const client = await as(ANN);
    const { data } = await client.notifications.setPreferences({ email: 'Ann@Example.COM' });
    expect(data).toEqual({ email: MAIL, status: 'unconfirmed', kinds: mailKinds });
    await network.send();
    const [mail] = network.to(MAIL);
    expect(mail?.parsed.subject).toBe('Confirm your e-mail address');
    expect(mail?.parsed.text).toContain(ANN);
    const token = tokenIn(mail, 'confirm');
    // Only its hash is in the database, and a sealed copy.
    const dump = await network.pool`select * from commerce.mail_confirmation`;
    expect(JSON.stringify(dump)).not.toContain(token);
    expect(await network.press('confirm', token)).toContain('Your address is confirmed.');
    const { data: after } = await client.notifications.preferences({});
    expect(after.status).toBe('confirmed');
    expect(await network.press('confirm', token)).toContain('does not work');
  });

  it('gives one answer to tokens that are unknown, used, expired or of an address before', async () => {
    const client = await as(ANN);
    const tokens: string[] = ['A'.repeat(43)];
    await client.notifications.setPreferences({ email: MAIL });
    await network.send();
    const used = tokenIn(network.to(MAIL)[0], 'confirm');
    await network.press('confirm', used);
    await client.notifications.setPreferences({ email: 'new@example.com' });
    await network.send();
    const replaced = tokenIn(network.to('new@example.com')[0], 'confirm');
    await client.notifications.setPreferences({ email: 'newer@example.com' });
    await network.send();
    const expired = tokenIn(network.to('newer@example.com')[0], 'confirm');
    tokens.push(used, replaced);
    const pages: string[] = [];
    for (const token of tokens) pages.push(await network.press('confirm', token));
    network.now += DAY_MS;
    pages.push(await network.press('confirm', expired));
    expect(pages).toHaveLength(4);
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).toContain('does not work');
    // The session has ended meanwhile.
    const { data } = await (await as(ANN)).notifications.preferences({});
    expect(data.status).toBe('unconfirmed');
  });

  it('shows an address to its owner alone', async () => {
    await network.confirm(ANN, MAIL);
    const { data } = await (await as(EVE)).notifications.preferences({});
    expect(data.email).toBeNull();
    const profile = await network.fixture.app().request(`/v1/distributors/${ANN}`);
    expect(await profile.text()).not.toContain(MAIL);
    const entries =
      await network.pool`select to_jsonb(entry)::text as entry from commerce.audit_entry entry`;
    expect(JSON.stringify(entries)).not.toContain(MAIL);
  });

  it('needs another confirmation for another address, and cancels what waits for the one before', async () => {
    const client = await network.confirm(ANN, MAIL);
    await network.pool`
      insert into commerce.service_event (type, accounts, subject_id)
      values ('invitation.received', ${[account(1_000), ANN]}, 'i-1')`;
    await network.publish();
    const { data } = await client.notifications.setPreferences({ email: 'new@example.com' });
    expect(data).toMatchObject({ email: 'new@example.com', status: 'unconfirmed' });
    await network.send();
    expect(network.server.taken.map(({ to }) => to[0])).toEqual(['new@example.com']);
    const { data: removed } = await client.notifications.setPreferences({ email: null });
    expect(removed).toMatchObject({ email: null, status: null });
  });

  it('keeps a confirmed address when it is named again, and other fields that are omitted', async () => {
    const client = await network.confirm(ANN, MAIL, ['report_ready']);
    const { data } = await client.notifications.setPreferences({ email: 'ANN@example.com' });
    expect(data).toEqual({ email: MAIL, status: 'confirmed', kinds: ['report_ready'] });
    await network.send();
    expect(network.server.taken).toEqual([]);
    const { data: more } = await client.notifications.setPreferences({
      kinds: ['refund_paid', 'refund_paid'],
    });
    expect(more).toEqual({ email: MAIL, status: 'confirmed', kinds: ['refund_paid'] });
  });

  it('sends at most three requests a day to one mailbox, for any accounts and however it is written', async () => {
    const forms = ['ann.lee@example.com', 'annlee+1@example.com', 'a.n.n.l.e.e@example.com'];
    for (const [i, email] of [...forms, ...forms].entries()) {
      const client = await as(account(40 + i));
      const { data } = await client.notifications.setPreferences({ email });
      // The answer does not say that others have asked.
      expect(data).toMatchObject({ email, status: 'unconfirmed' });
    }
    await network.send();
    expect(network.server.taken).toHaveLength(3);
    network.now += DAY_MS + 1_000;
    await (await as(account(50))).notifications.setPreferences({ email: 'annlee@example.com' });
    await network.send();
    expect(network.server.taken).toHaveLength(4);
  });

  it('sends at most five requests a day for one account', async () => {
    const client = await as(ANN);
    for (let i = 0; i < 5; i += 1) {
      await client.notifications.setPreferences({ email: `x${i}@example.com` });
    }
    await expect(
      client.notifications.setPreferences({ email: 'x5@example.com' }),
    ).rejects.toMatchObject({ code: 'UNPROCESSABLE', issues: [{ path: 'email' }] });
    expect((await client.notifications.preferences({})).data.email).toBe('x4@example.com');
    await network.send();
    // Each replaced the one before, which had not been sent yet.
    expect(network.server.taken.map(({ to }) => to[0])).toEqual(['x4@example.com']);
  });

  it('counts concurrent requests for one mailbox one after the other', async () => {
    const clients = await Promise.all([60, 61, 62, 63, 64, 65].map((n) => as(account(n))));
    await Promise.all(
      clients.map((client) => client.notifications.setPreferences({ email: MAIL })),
    );
    await network.send();
    expect(network.server.taken).toHaveLength(3);
  });

  it('unsubscribes with the token of any mail, as often as it is used', async () => {
    const client = await network.confirm(ANN, MAIL);
    await network.pool`
      insert into commerce.service_event (type, accounts, subject_id)
      values ('invitation.received', ${[account(1_000), ANN]}, 'i-1')`;
    await network.drain();
    const token = tokenIn(network.to(MAIL)[0], 'unsubscribe');
    const pages = [];
    for (const one of [token, token, 'A'.repeat(43)]) {
      pages.push(await network.press('unsubscribe', one));
    }
    // The page does not say if the token exists.
    expect(new Set(pages).size).toBe(1);
    const { data } = await client.notifications.preferences({});
    expect(data).toEqual({ email: MAIL, status: 'confirmed', kinds: [] });
    await network.pool`
      insert into commerce.service_event (type, accounts, subject_id)
      values ('invitation.received', ${[account(1_000), ANN]}, 'i-2')`;
    await network.drain();
    expect(network.to(MAIL)).toHaveLength(1);
  });

  it('asks no more where somebody refused to confirm an address that is not its own', async () => {
    const client = await as(EVE);
    await client.notifications.setPreferences({ email: MAIL });
    await network.send();
    const [mail] = network.to(MAIL);
    await network.press('unsubscribe', tokenIn(mail, 'unsubscribe'));
    expect((await client.notifications.preferences({})).data.email).toBeNull();
    network.now += 2 * DAY_MS;
    await (await as(EVE)).notifications.setPreferences({ email: MAIL });
    await (await as(ANN)).notifications.setPreferences({ email: MAIL });
    await network.send();
    expect(network.to(MAIL)).toHaveLength(1);
    expect(await network.press('confirm', tokenIn(mail, 'confirm'))).toContain('does not work');
  });

  it.each([
    'ann@example.com\r\nBcc: eve@example.com',
    'ann@example.com, eve@example.com',
    'Ann <ann@example.com>',
    '"ann@x"@example.com',
    'ann@example.com\0',
    'ann',
    `${'a'.repeat(250)}@example.com`,
  ])('refuses %j as an address', async (email) => {
    const client = await as(ANN);
    await expect(client.notifications.setPreferences({ email })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      issues: [expect.objectContaining({ path: 'email' })],
    });
  });

  it('refuses an API key', async () => {
    const app = network.fixture.app({ enabled: new Set(['notifications', 'apiKeys']) });
    const headers = { authorization: 'Bearer tby_test_x' };
    const response = await app.request('/v1/me/notifications/preferences', { headers });
    expect(response.status).toBe(401);
  });
});

describe('the pages behind the links of mails', () => {
  let network: MailNetwork;

  beforeEach(async () => {
    network = await MailNetwork.open();
  });
  afterEach(() => network.close());

  it('change nothing when they are opened, and confirm or unsubscribe by their button', async () => {
    const client = await network.fixture.signingClientAs(ANN);
    await client.notifications.setPreferences({ email: MAIL });
    await network.send();
    const app = network.fixture.app();
    const links = network.to(MAIL)[0]?.parsed.text?.match(/https:\S+\/mail\/\S+/g) ?? [];
    const [confirm = '', unsubscribe = ''] = links.map((link) =>
      link.replace('https://shop.example', ''),
    );
    for (const link of [confirm, unsubscribe]) {
      const page = await app.request(link);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('cache-control')).toBe('no-store');
      const html = await page.text();
      expect(html).toContain('<form method="post">');
      expect(html).not.toContain('token');
    }
    expect((await client.notifications.preferences({})).data.status).toBe('unconfirmed');
    // A browser sends the origin of a form as null, because the page sends no referrer.
    const confirmed = await app.request(confirm, { method: 'POST', headers: { origin: 'null' } });
    expect(await confirmed.text()).toContain('Your address is confirmed.');
    expect((await client.notifications.preferences({})).data.status).toBe('confirmed');
    const again = await app.request(confirm, { method: 'POST' });
    expect(await again.text()).toContain('This link does not work');
    // As a mail program does it (RFC 8058).
    const header = network.to(MAIL)[0]?.raw.match(/List-Unsubscribe:\s*<([^>]+)>/)?.[1];
    expect(header?.replace(/\s/g, '')).toBe(`https://shop.example${unsubscribe}`);
    const oneClick = await app.request(unsubscribe, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(oneClick.status).toBe(200);
    expect((await client.notifications.preferences({})).data.kinds).toEqual([]);
  });

  it('put nothing of the request into the page, and are not there without e-mail', async () => {
    const app = network.fixture.app();
    const page = await app.request('/mail/confirm?token=%3Cscript%3E');
    expect(await page.text()).not.toContain('<script>');
    const posted = await app.request('/mail/confirm?token=%3Cscript%3E', { method: 'POST' });
    expect(await posted.text()).toContain('This link is not complete.');
    const off = network.fixture.app({ enabled: new Set() });
    expect((await off.request('/mail/confirm')).status).toBe(404);
  });
});
