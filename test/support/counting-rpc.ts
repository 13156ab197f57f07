import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

/** How the RPC behind the proxy behaves. */
export interface RpcBehaviour {
  /** Milliseconds until it responds, beyond its own time. */
  readonly delayMs?: number;
  /** HTTP requests per second; the others get status 429. */
  readonly requestsPerSecond?: number;
  /** Most blocks of one `eth_getLogs`; a longer range is an error, as at many providers. */
  readonly maxLogBlocks?: number;
  /** True if logs come without `blockTimestamp`, as from older nodes. */
  readonly withoutTimestamps?: boolean;
}

/** Requests that came through a proxy since it was reset. */
export interface RpcCounts {
  /** JSON-RPC calls; a batch has several. */
  calls: number;
  httpRequests: number;
  rejected: number;
  /** Bytes of the responses. */
  bytes: number;
  readonly byMethod: Map<string, number>;
}

/** A proxy in front of anvil that counts what one consumer requests. */
export interface CountingRpc {
  readonly url: string;
  counts(): RpcCounts;
  reset(behaviour?: RpcBehaviour): void;
  stop(): Promise<void>;
}

/** Starts a counting proxy. */
export async function startCountingRpc(target: string): Promise<CountingRpc> {
  const agent = new Agent({ keepAlive: true });
  let counts = emptyCounts();
  let behaviour: RpcBehaviour = {};
  let second = 0;
  let inSecond = 0;

  async function serve(body: Buffer, response: ServerResponse): Promise<void> {
    const sent: Call | Call[] = JSON.parse(body.toString());
    const calls = [sent].flat();
    const methods = calls.map(nameOf);
    const { delayMs = 0, requestsPerSecond, maxLogBlocks, withoutTimestamps } = behaviour;
    const now = Math.floor(performance.now() / 1_000);
    if (now !== second) [second, inSecond] = [now, 0];
    inSecond += 1;
    if (requestsPerSecond !== undefined && inSecond > requestsPerSecond) {
      counts.rejected += 1;
      response.writeHead(429).end('Too many requests');
      return;
    }
    counts.httpRequests += 1;
    counts.calls += methods.length;
    for (const method of methods) {
      counts.byMethod.set(method, (counts.byMethod.get(method) ?? 0) + 1);
    }
    if (maxLogBlocks !== undefined && Math.max(...calls.map(logBlocks)) > maxLogBlocks) {
      const error = { code: -32_602, message: `eth_getLogs is limited to ${maxLogBlocks} blocks` };
      const errors = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }));
      response.writeHead(200).end(JSON.stringify(Array.isArray(sent) ? errors : errors[0]));
      return;
    }
    const [answer] = await Promise.all([
      forward(target, agent, body),
      delayMs > 0 ? setTimeout(delayMs) : undefined,
    ]);
    const result =
      withoutTimestamps && methods.includes('eth_getLogs')
        ? answer.toString().replace(/"blockTimestamp":"0x[0-9a-f]+",?/g, '')
        : answer;
    counts.bytes += result.length;
    response.writeHead(200, { 'content-type': 'application/json' }).end(result);
  }

  const server = createServer((request, response) => {
    buffer(request)
      .then((body) => serve(body, response))
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    counts: () => ({ ...counts, byMethod: new Map(counts.byMethod) }),
    reset: (next = {}) => {
      behaviour = next;
      counts = emptyCounts();
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      agent.destroy();
      await once(server, 'close');
    },
  };
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Blocks that an `eth_getLogs` asks for; 0 of anything else. */
function logBlocks({ method, params }: Call): number {
  if (method !== 'eth_getLogs') return 0;
  const [{ fromBlock, toBlock } = {}] = (params ?? []) as {
    fromBlock?: string;
    toBlock?: string;
  }[];
  return fromBlock && toBlock ? Number(toBlock) - Number(fromBlock) + 1 : 0;
}

/** The method, with the tag of the block if it names one. */
function nameOf({ method, params }: Call): string {
  const [block] = params ?? [];
  const tagged = typeof block === 'string' && /^[a-z]+$/.test(block);
  return tagged ? `${method} ${block}` : method;
}

function emptyCounts(): RpcCounts {
  return { calls: 0, httpRequests: 0, rejected: 0, bytes: 0, byMethod: new Map() };
}

/** Sends a request on, without parsing the answer. */
async function forward(target: string, agent: Agent, body: Buffer): Promise<Buffer> {
  const request = httpRequest(target, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': body.length },
  });
  request.end(body);
  const [response] = await once(request, 'response');
  return await buffer(response);
}
