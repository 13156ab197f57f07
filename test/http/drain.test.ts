import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, serveApi } from '../../engine/http/serve.ts';
import { holdLocks, waitingSessions } from '../support/locks.ts';
import { waitFor } from '../support/wait-for.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

/** Clients that keep their connections. */
const CLIENTS = 24;

describe('an API that is replaced', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(() => fixture.close());

  const serve = () => serveApi({ ...fixture.deps, port: 0, host: '127.0.0.1' });

  it('loses no request of clients that keep their connections', async () => {
    const [first, second] = [await serve(), await serve()];
    const balancer = await Balancer.start([first, second]);
    let running = true;
    const answered = { ok: 0, bad: [] as string[] };
    const clients = Array.from({ length: CLIENTS }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (running) {
        const status = await get(`${balancer.url}/v1/campaigns?limit=2`, agent).catch(String);
        if (status === 200) answered.ok += 1;
        else answered.bad.push(String(status));
        await setTimeout(10);
      }
      agent.destroy();
    });
    const answers = async (count: number) => {
      const target = answered.ok + count;
      await waitFor(() => answered.ok >= target, { what: `${count} more answers` });
    };
    await answers(200);
    const third = await serve();
    balancer.add(third);
    await first.stop({ drainMs: 2_000, partingMs: 1_500 });
    balancer.remove(first);
    await answers(200);
    await second.stop({ drainMs: 2_000, partingMs: 1_500 });
    balancer.remove(second);
    await answers(200);
    running = false;
    await Promise.all(clients);
    expect(answered.bad).toEqual([]);
    await balancer.stop();
    await third.stop();
  });

  it('reports that it is not ready while it still responds, then asks clients to disconnect, then stops', async () => {
    const server = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await get(`${server.url}/v1/campaigns`, agent)).toBe(200);
    const stopped = server.stop({ drainMs: 2_000, partingMs: 2_000 });
    const seen: string[] = [];
    await waitFor(
      async () => {
        const response = await fetch(`${server.url}/ready`);
        await response.body?.cancel();
        const { status, headers } = await answerOf(`${server.url}/v1/campaigns`, agent);
        seen.push(`${response.status} ${status} ${headers.connection}`);
        return headers.connection === 'close';
      },
      { what: 'an answer that ends its connection' },
    );
    expect(new Set(seen)).toEqual(new Set(['503 200 keep-alive', '503 200 close']));
    agent.destroy();
    await stopped;
    await expect(get(`${server.url}/health`, new Agent())).rejects.toThrow('ECONNREFUSED');
  });

  it('finishes a running request when it stops', async () => {
    const unlock = await holdLocks(
      fixture.pool,
      (sql) => sql`lock table ledger.campaign in access exclusive mode`,
    );
    const server = await serve();
    const agent = new Agent({ keepAlive: true });
    const slow = answerOf(`${server.url}/v1/campaigns`, agent);
    const blocked = async () => (await waitingSessions(fixture.pool)) > 0;
    await waitFor(blocked, { what: 'the request to wait for the lock' });
    const stopped = server.stop();
    await unlock();
    const { status, headers } = await slow;
    expect([status, headers.connection]).toEqual([200, 'close']);
    await stopped;
    agent.destroy();
  });
});

async function answerOf(url: string, agent: Agent) {
  const outgoing = request(url, { agent });
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  response.resume();
  await once(response, 'end');
  const { statusCode, headers } = response as IncomingMessage;
  return { status: statusCode, headers };
}

async function get(url: string, agent: Agent): Promise<number | undefined> {
  return (await answerOf(url, agent)).status;
}

/** A small reverse proxy: keeps connections to its backends, and asks each whether it is ready. */
class Balancer {
  readonly #backends = new Map<ApiServer, { ready: boolean; agent: Agent }>();
  readonly #server: Server;
  readonly #timer: NodeJS.Timeout;
  #turn = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (incoming, outgoing) => {
      const ready = [...this.#backends].filter(([, { ready }]) => ready);
      const chosen = ready[this.#turn++ % ready.length];
      if (chosen === undefined) {
        outgoing.writeHead(502).end();
        return;
      }
      const [{ url }, { agent }] = chosen;
      const onward = request(`${url}${incoming.url}`, { agent, method: incoming.method });
      onward.on('response', (response) => {
        outgoing.writeHead(response.statusCode ?? 502);
        response.pipe(outgoing);
        response.on('aborted', () => outgoing.destroy());
      });
      // As a proxy that may not repeat a request: the client sees the error.
      onward.on('error', () => outgoing.destroy());
      onward.end();
    });
    this.#timer = setInterval(() => void this.#probe(), 100);
  }

  static async start(backends: readonly ApiServer[]): Promise<Balancer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const balancer = new Balancer(server);
    for (const backend of backends) balancer.add(backend);
    await balancer.#probe();
    return balancer;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `http://127.0.0.1:${address.port}`;
  }

  add(backend: ApiServer): void {
    this.#backends.set(backend, { ready: false, agent: new Agent({ keepAlive: true }) });
  }

  remove(backend: ApiServer): void {
    this.#backends.get(backend)?.agent.destroy();
    this.#backends.delete(backend);
  }

  async #probe(): Promise<void> {
    for (const [{ url }, backend] of this.#backends) {
      const response = await fetch(`${url}/ready`).catch(() => undefined);
      backend.ready = response?.status === 200;
      await response?.body?.cancel();
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const backend of this.#backends.keys()) this.remove(backend);
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
