import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { checksumOf } from '../harness/measure.ts';

/** A webhook that arrived. */
interface Arrival {
  /** Milliseconds since 1970, with fractions. */
  readonly at: number;
  readonly body: string;
}

/** Answers every POST with 204, and records when each event arrived first. */
export class BenchReceiver {
  /** By event id. */
  readonly arrivals = new Map<string, Arrival>();
  #onArrival = () => {};

  private constructor(private readonly server: Server) {}

  static async start(): Promise<BenchReceiver> {
    const server = createServer();
    const receiver = new BenchReceiver(server);
    server.on('request', async (request, response) => {
      const body = await text(request);
      const at = performance.timeOrigin + performance.now();
      const id = String(request.headers['webhook-id']);
      if (!receiver.arrivals.has(id)) receiver.arrivals.set(id, { at, body });
      response.writeHead(204).end();
      receiver.#onArrival();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Waits until a number of different events has arrived. @throws after five minutes. */
  async untilArrived(count: number): Promise<void> {
    if (this.arrivals.size >= count) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      this.#onArrival = () => {
        if (this.arrivals.size >= count) resolve();
      };
      timer = setTimeout(
        () => reject(new Error(`${this.arrivals.size} of ${count} webhooks arrived`)),
        300_000,
      );
    });
    clearTimeout(timer);
    this.#onArrival = () => {};
  }

  /** Checksum of the events that have arrived. */
  checksum(): string {
    return checksumOf([...this.arrivals.keys()].sort().join());
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
