import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

/** Speed of the link between a deployment and its RPC. */
export interface LinkSpeed {
  /** Milliseconds from the request to the first byte of its response, beyond the RPC's own time. */
  readonly latencyMs: number;
  /** Bytes of all responses together. */
  readonly bytesPerSecond: number;
}

/** What passed through a link. */
export interface LinkCounts {
  /** JSON-RPC calls; a batch has several. */
  calls: number;
  httpRequests: number;
  /** Bytes of responses that were delivered. */
  bytes: number;
  /** HTTP requests that the client closed before their response was complete. */
  cancelled: number;
  /** Bytes that the RPC sent for these requests: work for nothing. */
  lateBytes: number;
}

/** A proxy in front of an RPC that is as slow as a link. */
export interface SlowLink {
  readonly url: string;
  counts(): LinkCounts;
  stop(): Promise<void>;
}

/** Bytes that one response sends before the others have their turn. */
const TURN_BYTES = 65_536;

/** Starts a proxy whose concurrent responses share one link. */
export async function startSlowLink(target: string, speed: LinkSpeed): Promise<SlowLink> {
  const agent = new Agent({ keepAlive: true });
  const counts: LinkCounts = { calls: 0, httpRequests: 0, bytes: 0, cancelled: 0, lateBytes: 0 };
  let freeAt = 0;

  /** Resolves when the link has sent so many bytes more. */
  async function pass(bytes: number): Promise<void> {
    const now = performance.now();
    freeAt = Math.max(now, freeAt) + (1_000 * bytes) / speed.bytesPerSecond;
    if (freeAt > now) await setTimeout(freeAt - now);
  }

  const server = createServer(async (request, response) => {
    try {
      const body = await buffer(request);
      counts.httpRequests += 1;
      counts.calls += [JSON.parse(body.toString())].flat().length;
      const [answer] = await Promise.all([
        forward(target, agent, body),
        setTimeout(speed.latencyMs),
      ]);
      const content = await buffer(answer);
      let sent = 0;
      response.writeHead(answer.statusCode ?? 500, { 'content-type': 'application/json' });
      while (sent < content.length && !response.destroyed) {
        const part = content.subarray(sent, sent + TURN_BYTES);
        await pass(part.length);
        response.write(part);
        sent += part.length;
      }
      if (response.destroyed) {
        counts.cancelled += 1;
        counts.lateBytes += content.length;
      } else counts.bytes += content.length;
      response.end();
    } catch {
      response.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the link has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    counts: () => ({ ...counts }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      agent.destroy();
      await once(server, 'close');
    },
  };
}

/** Sends a request on. */
async function forward(target: string, agent: Agent, body: Buffer): Promise<IncomingMessage> {
  const request = httpRequest(target, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': body.length },
  });
  request.end(body);
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (response === undefined) throw new Error('the RPC sent no response');
  return response;
}
