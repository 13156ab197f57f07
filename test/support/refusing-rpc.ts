import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { RpcCall } from './lying-rpc.ts';

/** How an RPC refuses: by an HTTP response, by an error for each request, or by one error for a whole batch. */
export type Refusal =
  | { readonly status: number; readonly body: string }
  | { readonly code: number; readonly message: string; readonly ofBatch?: true };

/** An RPC in front of anvil that refuses some methods. */
export interface RefusingRpc {
  readonly url: string;
  /** Set while it refuses; `isRefused` decides about each request. */
  refusal: Refusal | undefined;
  isRefused: (call: RpcCall, batch: readonly RpcCall[]) => boolean;
  stop(): Promise<void>;
}

/** Starts an RPC that passes everything on until it has a refusal. */
export async function startRefusingRpc(target: string): Promise<RefusingRpc> {
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The RPC has no port.');
  const rpc: RefusingRpc = {
    url: `http://127.0.0.1:${address.port}`,
    refusal: undefined,
    isRefused: () => true,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const posted = (await json(request)) as RpcCall | RpcCall[];
    const calls = Array.isArray(posted) ? posted : [posted];
    const { refusal } = rpc;
    const refused = refusal === undefined ? [] : calls.filter((call) => rpc.isRefused(call, calls));
    if (refusal !== undefined && 'status' in refusal && refused.length > 0) {
      response.writeHead(refusal.status, { 'content-type': 'text/html' }).end(refusal.body);
      return;
    }
    const answers = await Promise.all(
      calls.map(async (call) => {
        if (refusal === undefined || 'status' in refusal || !refused.includes(call)) {
          return await passOn(call);
        }
        const { code, message } = refusal;
        return { jsonrpc: '2.0', id: call.id, error: { code, message } };
      }),
    );
    const isWhole = refusal !== undefined && 'ofBatch' in refusal && refused.length > 0;
    const batch = isWhole
      ? { jsonrpc: '2.0', id: null, error: { code: refusal.code, message: refusal.message } }
      : answers;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(Array.isArray(posted) ? batch : answers[0]));
  }

  async function passOn(call: RpcCall): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ ...call, jsonrpc: '2.0' });
    return await (await fetch(target, { method: 'POST', headers, body })).json();
  }

  return rpc;
}
