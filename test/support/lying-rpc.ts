import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

/** A JSON-RPC request, as far as a test reads it. */
export type RpcCall = { readonly id: unknown; readonly method: string; readonly params: unknown[] };

/** Takes a true result and answers what the test wants instead, perhaps later; throws to answer an error. */
export type Lie = (result: unknown, call: RpcCall) => unknown;

/** An RPC between ours and anvil that says what a test lets it tell. */
export interface LyingRpc {
  readonly url: string;
  /** Every call that came, in order. */
  readonly calls: readonly RpcCall[];
  lie: Lie;
  /** Awaited before a call is passed on: a test holds it back here. */
  before: (call: RpcCall) => Promise<void> | void;
  stop(): Promise<void>;
}

/** An RPC's answer to a method that it does not have, or will not do. */
export class RpcRefusal extends Error {
  constructor(
    message: string,
    readonly code: number,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export const honest: Lie = (result) => result;

export async function startLyingRpc(target: string): Promise<LyingRpc> {
  const calls: RpcCall[] = [];
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const posted = (await json(request)) as RpcCall | RpcCall[];
    const requests = Array.isArray(posted) ? posted : [posted];
    calls.push(...requests);
    const answers = await Promise.all(requests.map(answer));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(Array.isArray(posted) ? answers : answers[0]));
  }

  async function answer(call: RpcCall): Promise<object> {
    await rpc.before(call);
    const response = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...call, jsonrpc: '2.0' }),
    });
    const reported = (await response.json()) as { result?: unknown };
    if (!('result' in reported)) return reported;
    try {
      return { ...reported, result: await rpc.lie(reported.result, call) };
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      const { code, message, data } = error;
      return { jsonrpc: '2.0', id: call.id, error: { code, message, data } };
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The RPC has no port.');
  const rpc: LyingRpc = {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    lie: honest,
    before: () => undefined,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return rpc;
}
