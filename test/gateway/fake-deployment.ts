import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Identity } from '../../engine/gateway/identity.ts';
import { readExamples } from '../../engine/http/openapi/examples.ts';

const examples = readExamples();

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server that answers as an API does, or as a broken or hostile one might. */
export class FakeDeployment {
  /** How a path is answered, without its query. A test may replace it. */
  readonly routes = new Map<string, Respond>();
  /** Requests that came, except those for the identity. */
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  #server: Server | undefined;
  #port = 0;

  private constructor(readonly identity: Identity) {
    const { system } = { system: examples['system.status'] };
    this.json('/v1/system/status', system?.response);
  }

  static async open(identity: Identity): Promise<FakeDeployment> {
    const fake = new FakeDeployment(identity);
    await fake.start();
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens, on the same port as before if it was stopped. */
  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://fake').pathname;
      if (path !== '/v1/system/status') {
        const { method = '', url = '', headers } = request;
        this.requests.push({ method, url, headers });
      }
      const respond = this.routes.get(path);
      if (respond !== undefined) respond(request, response);
      else response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Cuts all connections and refuses new ones. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  /** Answers a path with JSON, about this deployment. */
  json(path: string, body: unknown, headers: Record<string, string | string[]> = {}): void {
    const text = JSON.stringify(about(this.identity, body));
    this.routes.set(path, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);
    });
  }

  /** Serves sales at `receipts.recent`, newest first, with cursors that name a sale. */
  sales(list: () => readonly { id: number; recordedAt: string }[]): void {
    const example = examples['receipts.recent']?.response as {
      data: { items: object[] };
      meta: { chain: { blockTimestamp: string } };
    };
    this.routes.set('/v1/receipts', (request, response) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://fake');
      const cursor = searchParams.get('cursor');
      const limit = Number(searchParams.get('limit') ?? 20);
      const rest = list().filter(({ id }) => cursor === null || id < Number(cursor));
      const page = rest.slice(0, limit);
      const items = page.map(({ id, recordedAt }) => ({
        ...example.data.items[0],
        saleId: String(id),
        recordedAt,
      }));
      const nextCursor = rest.length > limit ? String(page.at(-1)?.id) : null;
      const times = list().map(({ recordedAt }) => recordedAt);
      const blockTimestamp = [...times, example.meta.chain.blockTimestamp].sort().at(-1);
      const meta = { ...example.meta, chain: { ...example.meta.chain, blockTimestamp } };
      const body = about(this.identity, { data: { items, nextCursor }, meta });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }
}

/** The value, with the chain and contract of a deployment wherever it names some. */
function about(identity: Identity, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => about(identity, one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (name === 'chainId') return [name, identity.chainId];
      if (name === 'contractAddress') return [name, identity.contractAddress];
      return [name, about(identity, field)];
    }),
  );
}
