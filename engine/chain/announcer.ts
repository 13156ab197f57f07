import { once } from 'node:events';
import { RpcRequestError } from 'viem';
import { WebSocket } from 'ws';
import { ChainIdentity, type IdentifiedBy, WrongChainError } from './identity.ts';

/** Milliseconds that it may take to connect, and to answer all requests, on a busy machine. */
const TIMEOUT_MS = 15_000;

/** Bytes of an answer: a header and the hashes of its transactions. */
const MAX_BYTES = 4_000_000;

/**
 * Compares the WebSocket RPC that announces new blocks with the chain, as each RPC of `RPC_URL` is: Ponder believes the
 * blocks that it announces.
 * @returns a sentence that says why it cannot be used, without its URL; `undefined` if it is of the chain.
 */
export async function announcerProblem(
  url: string,
  chain: IdentifiedBy,
): Promise<string | undefined> {
  const why = await whyNoAnnouncer(url, chain);
  if (why === undefined) return undefined;
  return `RPC_WS_URL is left out, so that the indexer polls for new blocks until it starts again. ${why}.`;
}

/**
 * Finds out if a WebSocket RPC is of the chain, by three requests or a few more.
 * @param subscribes true if it is also asked to announce blocks, by one more request.
 * @returns why it cannot be used, without its URL; `undefined` if it can.
 */
export async function whyNoAnnouncer(
  url: string,
  chain: IdentifiedBy,
  { timeoutMs = TIMEOUT_MS, subscribes = false } = {},
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  const socket = new WebSocket(url, { handshakeTimeout: timeoutMs, maxPayload: MAX_BYTES });
  // `once` rejects with it; without a listener a later one would end the process.
  socket.on('error', () => {});
  let isOfChain = false;
  try {
    await once(socket, 'open', { signal });
    const ask = requestsOver(socket, signal);
    await new ChainIdentity(chain).check(ask, 1);
    isOfChain = true;
    if (subscribes) await ask({ method: 'eth_subscribe', params: ['newHeads'] });
    return undefined;
  } catch (error) {
    if (error instanceof WrongChainError) return error.message;
    return isOfChain ? 'It does not announce blocks' : 'It does not say of which chain it is';
  } finally {
    socket.terminate();
  }
}

/** JSON-RPC requests over a socket. Each is answered, or fails with the signal. */
function requestsOver(socket: WebSocket, signal: AbortSignal) {
  const waiting = new Map<number, (answer: RpcAnswer) => void>();
  socket.on('message', (data) => {
    const answer = parsed(String(data));
    waiting.get(Number(answer.id))?.(answer);
  });
  return async (request: { method: string; params: readonly unknown[] }): Promise<unknown> => {
    const id = waiting.size + 1;
    const body = { jsonrpc: '2.0', id, ...request };
    const { error, result } = await new Promise<RpcAnswer>((resolve, reject) => {
      waiting.set(id, resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
      socket.send(JSON.stringify(body));
    });
    // As viem reports it, which our rules about refusals read.
    if (error !== undefined) throw new RpcRequestError({ body, error, url: 'RPC_WS_URL' });
    return result;
  };
}

/** An answer, which says nothing if it is no JSON. */
function parsed(text: string): RpcAnswer {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}
