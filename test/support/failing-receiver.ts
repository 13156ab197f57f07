import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { testCertificate } from './test-certificate.ts';

/** A request that a receiver got. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** How a receiver answers a request, after it has read the body. */
export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

/** A receiver of webhooks in the test's process, which can fail in every way. */
export class FailingReceiver {
  /** Every request, in order. */
  readonly received: ReceivedRequest[] = [];
  /** Number of connections so far. */
  connections = 0;
  /** Number of open connections. */
  open = 0;
  behave: Behaviour = answering(200, 'ok');

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
  ) {}

  /** @param options.tls true for HTTPS with the test certificate. */
  static async start({ tls = false } = {}): Promise<FailingReceiver> {
    const server = tls ? createTlsServer(testCertificate) : createServer();
    const receiver = new FailingReceiver(server, tls ? 'https' : 'http');
    server.on('request', (request, response) => void receiver.#take(request, response));
    server.on('connection', (socket) => {
      receiver.connections += 1;
      receiver.open += 1;
      socket.on('close', () => {
        receiver.open -= 1;
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** @param host another name of this computer. */
  url(host = '127.0.0.1'): string {
    return `${this.scheme}://${host}:${this.port}/hook?of=test`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: path, headers } = request;
    this.received.push({ method, path, headers, body: await text(request) });
    this.behave(response, request);
  }
}

/** Answers with a status, a body and headers. */
export function answering(
  status: number,
  body: string | Buffer = '',
  headers: Readonly<Record<string, string>> = {},
): Behaviour {
  return (response) => void response.writeHead(status, headers).end(body);
}
