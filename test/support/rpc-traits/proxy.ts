import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Behaviour, type RpcAnswer, type RpcRequest, TOO_LATE } from './trait.ts';

/** A JSON-RPC request, as far as a test reads it. */
export type RpcCall = RpcRequest & { readonly params: unknown[] };

/** Takes a true result and answers what the test wants instead, perhaps later; throws to answer an error. */
export type Lie = (result: unknown, call: RpcCall) => unknown;

/** An RPC between ours and a node that has the traits which a test gives it. */
export interface TraitRpc {
  readonly url: string;
  /** Every call that came, in order. */
  readonly calls: RpcCall[];
  /** HTTP requests that came. */
  requests: number;
  /** Bytes of the bodies of all answers. */
  bytes: number;
  /** What it does now, the first of them last; none if it is a good RPC. */
  behaviours: readonly Behaviour[];
  /** Changes results by hand, where no trait of the table does. */
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

/** Starts an RPC that passes everything on until it has a trait. */
export async function startTraitRpc(target: string): Promise<TraitRpc> {
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The RPC has no port.');
  const rpc: TraitRpc = {
    url: `http://127.0.0.1:${address.port}`,
    calls: [],
    requests: 0,
    bytes: 0,
    behaviours: [],
    lie: honest,
    before: () => undefined,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const posted = (await json(request)) as RpcCall | RpcCall[];
    const calls = [posted].flat();
    rpc.calls.push(...calls);
    rpc.requests += 1;
    const { behaviours } = rpc;
    for (const { http } of behaviours) {
      const answer = http?.(calls, request.headers.authorization);
      if (answer === undefined) continue;
      response.writeHead(answer.status, answer.headers).end(answer.body);
      return;
    }
    const answers = await Promise.all(calls.map((call) => answer(call, behaviours)));
    // What comes too late never comes: the client gives up and cancels its request.
    if (answers.some(({ result }) => result === TOO_LATE)) return;
    const all = behaviours.reduce<unknown>(
      (list, { batch }) => (batch && answers.length > 1 ? batch(list as RpcAnswer[]) : list),
      answers,
    );
    end(response, JSON.stringify(Array.isArray(posted) ? all : answers[0]), behaviours);
  }

  function end(response: ServerResponse, text: string, behaviours: readonly Behaviour[]): void {
    rpc.bytes += text.length;
    const headers = { 'content-type': 'application/json' };
    if (behaviours.some(({ body }) => body === 'cut')) {
      response.writeHead(200, headers).write(text.slice(0, text.length / 2));
      setImmediate(() => response.destroy());
    } else if (behaviours.some(({ body }) => body === 'gzip')) {
      response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(gzipSync(text));
    } else response.writeHead(200, headers).end(text);
  }

  async function answer(call: RpcCall, behaviours: readonly Behaviour[]): Promise<RpcAnswer> {
    await rpc.before(call);
    return await behaviours.reduce(
      (ask, behaviour) => async (request: RpcRequest) =>
        behaviour.answer === undefined ? await ask(request) : await behaviour.answer(request, ask),
      askNode,
    )(call);
  }

  async function askNode(call: RpcRequest): Promise<RpcAnswer> {
    const response = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...call, jsonrpc: '2.0' }),
    });
    const reported = (await response.json()) as RpcAnswer;
    if (!('result' in reported)) return reported;
    try {
      return { ...reported, result: await rpc.lie(reported.result, call as RpcCall) };
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      const { code, message, data } = error;
      return { id: call.id, error: { code, message, data } };
    }
  }

  return rpc;
}
