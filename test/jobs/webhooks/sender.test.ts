import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../engine/client/index.ts';
import { guardedConnector, type Lookup } from '../../../engine/jobs/webhooks/guarded-connector.ts';
import {
  type SenderOptions,
  type SendOutcome,
  WebhookSender,
} from '../../../engine/jobs/webhooks/send.ts';
import { SendFailure } from '../../../engine/jobs/webhooks/send-failure.ts';
import { webhookHeaders } from '../../../engine/jobs/webhooks/sign.ts';
import { AddressRules } from '../../../engine/net/address-rules.ts';
import { newWebhookSecret } from '../../../engine/secrets/webhook-secret.ts';
import { readWebhook } from '../../../examples/receiver-by-hand.ts';
import { answering, type Behaviour, FailingReceiver } from '../../support/failing-receiver.ts';
import { testCertificate } from '../../support/test-certificate.ts';
import { waitFor } from '../../support/wait-for.ts';
import { saleMessage } from '../../support/webhook-message.ts';

const NOT_PUBLIC = 'The address of the host is not public.';
const CLOSED = 'The connection was closed before an answer came.';
const HOOK = 'hooks.example';
const MAX_BYTES = 100 * 1_024 * 1_024;

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of closing.splice(0).reverse()) await part.close();
});

function senderOf(options: Partial<SenderOptions> = {}): WebhookSender {
  const sender = new WebhookSender({ allowCidrs: [], allowLoopback: true, ...options });
  closing.push(sender);
  return sender;
}

async function receiverOf(behave?: Behaviour, options?: { tls: boolean }) {
  const receiver = await FailingReceiver.start(options);
  if (behave !== undefined) receiver.behave = behave;
  closing.push(receiver);
  return receiver;
}

function post(sender: WebhookSender, url: string, body = '{}'): Promise<SendOutcome> {
  return sender.send({ url, headers: { 'content-type': 'application/json' }, body });
}

/** Outcome of one request to a receiver that behaves in this way. */
async function outcomeOf(behave: Behaviour, options: Partial<SenderOptions> = {}) {
  const receiver = await receiverOf(behave);
  return { receiver, outcome: await post(senderOf(options), receiver.url()) };
}

/** Lookup that returns one list of addresses after the other, the last one again and again. */
function lookupOf(...answers: readonly string[][]) {
  const asked: string[] = [];
  const lookup: Lookup = async (hostname) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { lookup, asked };
}

describe('a delivery', () => {
  it('makes one POST that the client and the code of the documentation verify', async () => {
    const receiver = await receiverOf(answering(204));
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    const body = JSON.stringify(saleMessage());
    const headers = webhookHeaders({ id: 'evt_1', timestamp: new Date(), body, secrets });
    const outcome = await senderOf().send({ url: receiver.url(), headers, body });
    expect(outcome).toEqual({
      kind: 'answered',
      status: 204,
      retryAfterSeconds: null,
      excerpt: '',
      ms: expect.any(Number),
    });
    const [received] = receiver.received;
    expect(receiver.received).toHaveLength(1);
    expect(received).toMatchObject({ method: 'POST', path: '/hook?of=test', body });
    expect(received?.headers).toMatchObject({
      ...headers,
      host: `127.0.0.1:${receiver.port}`,
      'content-length': String(Buffer.byteLength(body)),
    });
    if (received === undefined) return;
    for (const secret of secrets) {
      expect(await verifyWebhook(received, secret)).toEqual(saleMessage());
      expect(readWebhook(received.headers, received.body, secret)).toEqual(saleMessage());
      expect(new Webhook(secret).verify(received.body, headers)).toEqual(saleMessage());
    }
  });

  it('uses a connection again, and another one after the receiver closed it', async () => {
    const receiver = await receiverOf();
    const sender = senderOf();
    for (let i = 0; i < 6; i += 1) await post(sender, receiver.url());
    expect(receiver.connections).toBeLessThan(6);
    receiver.behave = answering(200, '', { connection: 'close' });
    for (let i = 0; i < 4; i += 1) {
      expect(await post(sender, receiver.url())).toMatchObject({ status: 200 });
    }
    expect(receiver.received).toHaveLength(10);
  });

  it.each([200, 201, 302, 307, 400, 410, 500, 503])('reports the status %i', async (status) => {
    const { outcome } = await outcomeOf(answering(status, 'a body'));
    expect(outcome).toMatchObject({ kind: 'answered', status, excerpt: 'a body' });
  });

  it.each([301, 302, 303, 307, 308])('ignores where a redirect with %i leads', async (status) => {
    const other = await receiverOf();
    const { receiver, outcome } = await outcomeOf(answering(status, '', { location: other.url() }));
    expect(outcome).toMatchObject({ kind: 'answered', status });
    expect([receiver.received.length, other.received.length]).toEqual([1, 0]);
  });

  it('reports Retry-After in seconds, as a date, and not at all', async () => {
    const now = () => Date.UTC(2026, 10, 23, 12);
    for (const [header, seconds] of [
      ['120', 120],
      ['Mon, 23 Nov 2026 12:30:00 GMT', 1_800],
      ['soon', null],
    ] as const) {
      const { outcome } = await outcomeOf(answering(429, '', { 'retry-after': header }), { now });
      expect(outcome).toMatchObject({ status: 429, retryAfterSeconds: seconds });
    }
  });

  it('returns the beginning of the answer as one line of plain text', async () => {
    const raw = 'a\r\n\tb\0\u001b[31mc\u202Ed\u200Be\u0085f';
    const { outcome } = await outcomeOf(answering(500, raw));
    expect(outcome).toMatchObject({
      excerpt: 'a b\\u{0}\\u{1b}[31mc\\u{202e}d\\u{200b}e\\u{85}f',
    });
    const { outcome: escapes } = await outcomeOf(answering(500, '\u001b'.repeat(2_000)));
    expect(escapes).toMatchObject({ excerpt: `${'\\u{1b}'.repeat(170)}…` });
    const { outcome: long } = await outcomeOf(answering(500, `x${'é'.repeat(2_000)}`));
    expect(long).toMatchObject({ excerpt: `x${'é'.repeat(511)}` });
    const { outcome: binary } = await outcomeOf(answering(500, Buffer.from([0x61, 0xff, 0x62])));
    expect(binary).toMatchObject({ excerpt: 'a\uFFFDb' });
  });
});

describe('a receiver that fails', () => {
  it('ends with a failure if it never answers', async () => {
    const { outcome } = await outcomeOf(() => {}, { totalMs: 300 });
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'No answer came within 0 seconds.' });
    expect(outcome.ms).toBeGreaterThanOrEqual(290);
    expect(outcome.ms).toBeLessThan(5_000);
  });

  it('ends with its status if its body never ends, and its connection is closed', async () => {
    const drip: Behaviour = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    };
    const { receiver, outcome } = await outcomeOf(drip, { totalMs: 2_000 });
    expect(outcome).toMatchObject({
      kind: 'answered',
      status: 200,
      excerpt: expect.stringMatching(/^\.+$/),
    });
    expect(outcome.ms).toBeLessThan(5_000);
    await waitFor(() => receiver.open === 0, { what: 'the connection to close' });
  });

  it('ends with its status and reads little of a large body', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(64 * 1_024, 'x');
    const { receiver, outcome } = await outcomeOf((response) => {
      const flood = () => {
        while (!response.destroyed && sent < MAX_BYTES && response.write(chunk))
          sent += chunk.length;
      };
      response.writeHead(200).on('drain', flood);
      flood();
    });
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, excerpt: 'x'.repeat(1_024) });
    expect(outcome.ms).toBeLessThan(10_000);
    await waitFor(() => receiver.open === 0, { what: 'the connection to close' });
    // The system's buffers of both ends hold a few megabytes.
    expect(sent).toBeLessThan(MAX_BYTES);
  });

  it('ends with its status if it resets the connection within the body', async () => {
    const { outcome } = await outcomeOf((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('begun', () => response.socket?.resetAndDestroy());
    });
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
  });

  it.each<[string, Behaviour]>([
    ['closes', (response) => response.socket?.destroy()],
    ['resets', (response) => response.socket?.resetAndDestroy()],
    ['ends', (response) => response.socket?.end()],
  ])('ends with a failure if it %s the connection before an answer', async (_, behave) => {
    const { outcome } = await outcomeOf(behave);
    expect(outcome).toMatchObject({ kind: 'failed', reason: CLOSED });
  });

  it.each([
    ['is no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'The answer is not valid HTTP.'],
    [
      'has large headers',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      'The headers of the answer are too large.',
    ],
    ['ends within its headers', 'HTTP/1.1 200 OK\r\nx: y', CLOSED],
  ])('ends with a failure if its answer %s', async (_, answer, reason) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(answer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const outcome = await post(senderOf(), `http://127.0.0.1:${port}/`);
    server.close();
    expect(outcome).toMatchObject({ kind: 'failed', reason });
  });

  it('ends with a failure if nothing listens at its port, or its name does not exist', async () => {
    const receiver = await FailingReceiver.start();
    const url = receiver.url();
    await receiver.close();
    expect(await post(senderOf(), url)).toMatchObject({
      kind: 'failed',
      reason: 'The host refused the connection.',
    });
    const lookup = () =>
      Promise.reject(Object.assign(new Error('queryA 10.0.0.53'), { code: 'ENOTFOUND' }));
    expect(await post(senderOf({ lookup }), `https://${HOOK}/`)).toMatchObject({
      kind: 'failed',
      reason: 'The host name could not be resolved.',
    });
  });

  it('ends with a failure if its name is not resolved in time', async () => {
    const lookup = () => new Promise<never>(() => {});
    const outcome = await post(senderOf({ lookup, connectMs: 100 }), `https://${HOOK}/`);
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: 'The host did not accept a connection in time.',
    });
    expect(outcome.ms).toBeLessThan(5_000);
  });
});

describe('a delivery by HTTPS', () => {
  let receiver: FailingReceiver;
  const ca = testCertificate.cert;
  const { lookup } = lookupOf(['127.0.0.1']);
  beforeEach(async () => {
    receiver = await receiverOf(undefined, { tls: true });
  });

  it('reaches a host with a valid certificate, by name and by address', async () => {
    const sender = senderOf({ ca, lookup });
    for (const host of [HOOK, 'localhost', '127.0.0.1', HOOK]) {
      expect(await post(sender, receiver.url(host)), host).toMatchObject({ status: 200 });
    }
    expect(receiver.received.map(({ headers }) => headers.host)).toContain(
      `${HOOK}:${receiver.port}`,
    );
  });

  it('fails for a certificate that is not trusted, or is of another host', async () => {
    expect(await post(senderOf({ lookup }), receiver.url(HOOK))).toMatchObject({
      reason: 'The TLS certificate of the host is self-signed.',
    });
    expect(await post(senderOf({ ca, lookup }), receiver.url('other.example'))).toMatchObject({
      reason: 'The TLS certificate is for another host name.',
    });
    expect(receiver.received).toEqual([]);
  });

  it('fails at a port that does not speak TLS, or does not answer its greeting', async () => {
    const plain = await receiverOf();
    const url = `https://127.0.0.1:${plain.port}/`;
    const { reason } = Object(await post(senderOf(), url));
    expect(reason).toBe('No TLS connection could be made.');
    const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = Object(silent.address());
    const outcome = await post(senderOf({ connectMs: 100 }), `https://127.0.0.1:${port}/`);
    silent.close();
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: 'The host did not accept a connection in time.',
    });
    expect(outcome.ms).toBeLessThan(5_000);
  });
});

describe('the guard', () => {
  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '10.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
    'localhost',
  ])('opens no connection to %s', async (host) => {
    const receiver = await receiverOf(undefined, { tls: true });
    const sender = senderOf({ allowLoopback: false, ca: testCertificate.cert });
    const outcome = await post(sender, receiver.url(host));
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: 'The URL must name a host with a public address.',
    });
    expect(receiver.connections).toBe(0);
  });

  it.each(['127.0.0.1', '::1', '10.0.0.1'])(
    'refuses the literal %s when it connects, as no lookup is made for it',
    async (hostname) => {
      const { lookup, asked } = lookupOf(['8.8.8.8']);
      const rules = new AddressRules({ allowCidrs: [], allowLoopback: false });
      const connect = guardedConnector({ rules, lookup, connectMs: 1_000 });
      const error = await new Promise((resolve) => {
        connect({ hostname, protocol: 'http:', port: '80' }, (...[failure]) => resolve(failure));
      });
      expect(error).toEqual(new SendFailure(NOT_PUBLIC));
      expect(asked).toEqual([]);
    },
  );

  it.each([
    ['the only address', ['127.0.0.1']],
    ['the last of several addresses', ['8.8.8.8', '2606:4700:4700::1111', '10.0.0.1']],
    ['the first of several addresses', ['::1', '8.8.8.8']],
    ['a mapped address', ['::ffff:169.254.169.254']],
    ['no address', []],
  ])('refuses a name if %s is not public', async (_, addresses) => {
    const receiver = await receiverOf(undefined, { tls: true });
    const { lookup, asked } = lookupOf(addresses);
    const sender = senderOf({ allowLoopback: false, lookup, ca: testCertificate.cert });
    const outcome = await post(sender, receiver.url(HOOK));
    expect(outcome).toMatchObject({ kind: 'failed', reason: NOT_PUBLIC });
    expect(asked).toEqual([HOOK]);
    expect(receiver.connections).toBe(0);
  });

  it('refuses a name that changes its address after a delivery', async () => {
    const receiver = await receiverOf(answering(200, '', { connection: 'close' }), { tls: true });
    // 127.0.0.1 is open to this sender, in place of a public address.
    const { lookup, asked } = lookupOf(['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']);
    const options = { allowLoopback: false, allowCidrs: ['127.0.0.1/32'] };
    const sender = senderOf({ ...options, lookup, ca: testCertificate.cert });
    const outcomes = [];
    for (let i = 0; i < 3; i += 1) outcomes.push(await post(sender, receiver.url(HOOK)));
    expect(outcomes).toMatchObject([{ status: 200 }, { reason: NOT_PUBLIC }, { status: 200 }]);
    expect(asked).toHaveLength(3);
    expect(receiver.received).toHaveLength(2);
  });

  it('refuses a connection to another address than the one that was checked', async () => {
    const receiver = await receiverOf(undefined, { tls: true });
    let reads = 0;
    // An address that reads as an allowed one when it is checked, and as another one afterwards.
    const changing = {
      family: 4,
      get address() {
        reads += 1;
        return reads === 1 ? '127.0.0.2' : '127.0.0.1';
      },
    };
    const sender = senderOf({
      allowLoopback: false,
      allowCidrs: ['127.0.0.2/32'],
      lookup: async () => [changing],
      ca: testCertificate.cert,
    });
    const outcome = await post(sender, receiver.url(HOOK));
    expect(outcome).toMatchObject({ kind: 'failed', reason: NOT_PUBLIC });
    expect(reads).toBeGreaterThan(1);
    await waitFor(() => receiver.open === 0, { what: 'the connection to close' });
    expect(receiver.received).toEqual([]);
  });

  it('opens the ranges of the operator', async () => {
    const receiver = await receiverOf(undefined, { tls: true });
    const options = { allowLoopback: false, ca: testCertificate.cert };
    const open = senderOf({ ...options, allowCidrs: ['10.0.0.0/8', '127.0.0.0/8'] });
    expect(await post(open, receiver.url())).toMatchObject({ status: 200 });
    const other = senderOf({ ...options, allowCidrs: ['10.0.0.0/8'] });
    expect(await post(other, receiver.url())).toMatchObject({ kind: 'failed' });
  });

  it('sends nothing by http except to a loopback address of a local chain', async () => {
    const receiver = await receiverOf();
    const { lookup } = lookupOf(['127.0.0.1']);
    const reason = 'The URL must begin with https://.';
    const url = receiver.url(HOOK);
    expect(await post(senderOf({ lookup }), url)).toMatchObject({ reason });
    const strict = senderOf({ allowLoopback: false, allowCidrs: ['127.0.0.0/8'] });
    expect(await post(strict, receiver.url())).toMatchObject({ reason });
    expect(receiver.connections).toBe(0);
    expect(await post(senderOf(), receiver.url('localhost'))).toMatchObject({ status: 200 });
  });
});

describe('an attempt that ends early', () => {
  it('fails if its signal aborts, before and while it waits', async () => {
    const receiver = await receiverOf(() => {});
    const sender = senderOf();
    const request = { url: receiver.url(), headers: {}, body: '{}' };
    const reason = 'The delivery was cancelled.';
    const signal = AbortSignal.abort();
    expect(await sender.send({ ...request, signal })).toMatchObject({ kind: 'failed', reason });
    expect(receiver.received).toHaveLength(0);
    const controller = new AbortController();
    const waiting = sender.send({ ...request, signal: controller.signal });
    await waitFor(() => receiver.received.length === 1, { what: 'the request' });
    controller.abort();
    expect(await waiting).toMatchObject({ kind: 'failed', reason });
    await waitFor(() => receiver.open === 0, { what: 'the connection to close' });
  });

  it('delays close, after which every attempt fails', async () => {
    const receiver = await receiverOf((response) => {
      void setTimeout(100).then(() => response.end('late'));
    });
    const sender = new WebhookSender({ allowCidrs: [], allowLoopback: true });
    const waiting = post(sender, receiver.url());
    await waitFor(() => receiver.received.length === 1, { what: 'the request' });
    await sender.close();
    expect(await waiting).toMatchObject({ kind: 'answered', excerpt: 'late' });
    expect(await post(sender, receiver.url())).toMatchObject({
      kind: 'failed',
      reason: 'The service is stopping.',
    });
  });

  it('fails for a URL or header that cannot be sent', async () => {
    const receiver = await receiverOf();
    const sender = senderOf();
    expect(await post(sender, 'no URL')).toMatchObject({
      kind: 'failed',
      reason: 'The URL must be an absolute URL without spaces.',
    });
    const headers = { 'x-test': 'a\nb' };
    const outcome = await sender.send({ url: receiver.url(), headers, body: '' });
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'The request failed.' });
  });

  it('throws at the start for a malformed range of addresses', () => {
    const build = () => new WebhookSender({ allowCidrs: ['10.0.0.0'], allowLoopback: false });
    expect(build).toThrow('"10.0.0.0" is no range of addresses');
  });
});
