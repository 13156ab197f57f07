import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { MailSender, type OutgoingMail } from '../../../engine/jobs/mail/send.ts';
import { MailServer } from '../../support/mail-server.ts';

const FROM = 'notices@shop.example';
const UNSUBSCRIBE = 'https://shop.example/mail/unsubscribe?token=abc';
const mail = (changes: Partial<OutgoingMail> = {}): OutgoingMail => ({
  messageId: '<mail_1@shop.example>',
  to: 'ann@example.com',
  subject: 'A reward became claimable',
  lines: ['Line one', 'Line two'],
  unsubscribe: UNSUBSCRIBE,
  ...changes,
});

let server: MailServer;
afterEach(() => server.close());

it('sends plain text with an id, and with the headers by which a mail program unsubscribes', async () => {
  server = await MailServer.start();
  expect(await new MailSender({ url: server.url(), from: FROM }).send(mail())).toEqual({
    kind: 'sent',
    code: 250,
  });
  const [{ from, to, parsed, raw } = {}] = server.taken;
  expect([from, to]).toEqual([FROM, ['ann@example.com']]);
  expect(parsed).toMatchObject({
    subject: 'A reward became claimable',
    messageId: '<mail_1@shop.example>',
    from: { value: [{ name: 'Tributary', address: FROM }] },
    html: false,
  });
  expect(parsed?.text?.trim()).toBe('Line one\nLine two');
  expect(raw).toContain(`List-Unsubscribe: <${UNSUBSCRIBE}>`);
  expect(raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  expect(raw).toContain('Auto-Submitted: auto-generated');
});

it('sends texts of strangers so that they neither act, hide nor begin a header', async () => {
  server = await MailServer.start();
  const symbol = '\u001b[2J\u202eUSDC\r\nBcc: eve@example.com';
  const hostile = mail({ subject: `Got ${symbol}`, lines: [`1 ${symbol}`, 'bye'] });
  await new MailSender({ url: server.url(), from: FROM }).send(hostile);
  const [{ to, parsed } = {}] = server.taken;
  expect(to).toEqual(['ann@example.com']);
  expect(parsed?.bcc).toBeUndefined();
  expect(parsed?.subject).toBe('Got \\u{1b}[2J\\u{202e}USDC\\u{d}\\u{a}Bcc: eve@example.com');
  expect(parsed?.text?.trim()).toBe(
    '1 \\u{1b}[2J\\u{202e}USDC\\u{d}\\u{a}Bcc: eve@example.com\nbye',
  );
});

it('logs in with the user and the password of the URL', async () => {
  server = await MailServer.start('a:b/c@d');
  const right = server.url(`tributary:${encodeURIComponent('a:b/c@d')}@`);
  expect(await new MailSender({ url: right, from: FROM }).send(mail())).toMatchObject({
    kind: 'sent',
  });
  // That is a matter of our account there, and not of the recipient.
  const wrong = server.url('tributary:x@');
  expect(await new MailSender({ url: wrong, from: FROM }).send(mail())).toEqual({
    kind: 'unavailable',
    code: 535,
  });
});

it.each([
  ['recipient', 550, 'refused'],
  ['message', 554, 'refused'],
  ['recipient', 450, 'failed'],
  ['message', 451, 'failed'],
  ['sender', 550, 'unavailable'],
  ['connect', 421, 'unavailable'],
  ['connect', 554, 'unavailable'],
] as const)(
  'decides by the command and the answer: %s, %i counts as %s',
  async (refuses, code, kind) => {
    server = await MailServer.start();
    server.behave = () => ({ refuses, code });
    const outcome = await new MailSender({ url: server.url(), from: FROM }).send(mail());
    expect(outcome).toMatchObject({ kind });
    if (refuses !== 'connect') expect(outcome.code).toBe(code);
  },
);

it.each(['connect', 'recipient', 'message'] as const)(
  'gives up on a server that is silent at the %s',
  async (hangsAt) => {
    server = await MailServer.start();
    server.behave = () => ({ hangsAt });
    const start = performance.now();
    const sender = new MailSender({ url: server.url(), from: FROM }, 300);
    expect(await sender.send(mail())).toEqual({ kind: 'unavailable', code: null });
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(server.taken).toEqual([]);
  },
);

it('fails without an answer if nothing listens, or if what listens is no mail server', async () => {
  server = await MailServer.start();
  const { port } = server;
  await server.close();
  const url = `smtp://127.0.0.1:${port}`;
  const refused = await new MailSender({ url, from: FROM }).send(mail());
  expect(refused).toEqual({ kind: 'unavailable', code: null });
  const other = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  other.on('connection', (socket) => socket.on('error', () => {}));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const at = typeof address === 'object' ? address?.port : 0;
  const outcome = await new MailSender({ url: `smtp://127.0.0.1:${at}`, from: FROM }, 2_000).send(
    mail(),
  );
  expect(outcome.kind).toBe('unavailable');
  other.close();
  server = await MailServer.start();
});

it.each([
  'ann@example.com\r\nBcc: eve@example.com',
  'ann@example.com, eve@example.com',
  'ann@example.com>\r\nRCPT TO:<eve@example.com',
  'Ann <eve@example.com>',
])('makes no second recipient and no header of the address %j', async (to) => {
  server = await MailServer.start();
  await new MailSender({ url: server.url(), from: FROM }).send(mail({ to }));
  for (const { to: recipients, parsed } of server.taken) {
    expect(recipients).toHaveLength(1);
    expect(recipients).not.toContain('eve@example.com');
    expect(parsed.headers.has('bcc')).toBe(false);
  }
});

it('makes no header of a subject or an id with line breaks', async () => {
  server = await MailServer.start();
  const subject = 'Hello\r\nBcc: eve@example.com\r\n\r\nA body';
  await new MailSender({ url: server.url(), from: FROM }).send(mail({ subject }));
  const [taken] = server.taken;
  expect(taken?.to).toEqual(['ann@example.com']);
  expect(taken?.parsed.headers.has('bcc')).toBe(false);
  expect(taken?.parsed.text?.trim()).toBe('Line one\nLine two');
});
