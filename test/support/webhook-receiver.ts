import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { WebhookMessage } from '../../engine/contract/shapes/webhook.ts';
import { expectNoBytes } from './no-bytes.ts';
import { waitFor } from './wait-for.ts';

/** A webhook that arrived with a correct signature. */
export interface Received {
  /** Header `webhook-id`. */
  readonly id: string;
  readonly message: WebhookMessage;
}

/** A receiver in the test's process, which checks each request as the specification says. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** Requests that a receiver must refuse, with the reason. */
  readonly malformed: unknown[] = [];
  /** Statuses of the next answers; 204 after them. */
  readonly answers: number[] = [];

  private constructor(
    readonly secret: string,
    readonly url: string,
    private readonly server: Server,
  ) {}

  static async open(): Promise<WebhookReceiver> {
    const secret = `whsec_${Buffer.from('a secret of tests, of 32 bytes..').toString('base64')}`;
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('there is no port');
    const receiver = new WebhookReceiver(secret, `http://127.0.0.1:${address.port}/hook`, server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const status = receiver.answers.shift() ?? 204;
        try {
          receiver.#take(request.headers, Buffer.concat(chunks).toString());
        } catch (error) {
          receiver.malformed.push(error);
        }
        response.writeHead(status).end();
      });
    });
    return receiver;
  }

  /** Types of what was received, with the sale of each. */
  get types(): string[] {
    return this.received.map(({ message }) => `${message.type} ${message.data.saleId}`);
  }

  /** Waits for a number of requests in all. */
  async untilReceived(count: number): Promise<readonly Received[]> {
    await waitFor(() => this.received.length >= count, { what: `${count} webhooks` });
    return this.received;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  #take(headers: Readonly<Record<string, string | string[] | undefined>>, body: string): void {
    const of = (name: string) => String(headers[name]);
    const [id, timestamp, signature] = [
      of('webhook-id'),
      of('webhook-timestamp'),
      of('webhook-signature'),
    ];
    new Webhook(this.secret).verify(body, {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    });
    // A second verifier, written from the specification alone.
    const key = Buffer.from(this.secret.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`);
    if (!signature.split(' ').includes(`v1,${expected.digest('base64')}`)) {
      throw new Error('the signature is wrong');
    }
    expectNoBytes(body);
    const message = WebhookMessage.parse(JSON.parse(body));
    if (message.data.eventId !== id) throw new Error('the id differs from the header');
    this.received.push({ id, message });
  }
}
