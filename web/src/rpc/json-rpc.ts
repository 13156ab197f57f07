import { hostOf, isMixedContent } from './rpc-url.ts';

/** Milliseconds that an RPC may take for one answer. */
const ANSWER_MS = 10_000;

/** Why an RPC cannot be asked, as a title and a sentence on what to do. */
export class RpcProblem extends Error {
  override readonly name = 'RpcProblem';

  constructor(
    readonly title: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Asks an RPC one question, from this browser and with nothing of the reader's.
 * @throws {RpcProblem} where it cannot be asked, or does not answer as an RPC does.
 */
export async function askRpc(
  url: string,
  method: string,
  params: readonly unknown[],
  signal?: AbortSignal,
): Promise<unknown> {
  const host = hostOf(url);
  if (isMixedContent(location.href, url)) throw mixedContent(host);
  const request = { jsonrpc: '2.0', id: 1, method, params };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: within(ANSWER_MS, signal),
  }).catch(async (error: unknown) => {
    if (signal?.aborted) throw error;
    throw await refusalOf(url, request, signal);
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!isAnswer(body)) {
    throw new RpcProblem(
      'This is no RPC',
      `${host} answered HTTP ${response.status}, and not as a JSON-RPC does. Is its path right?`,
    );
  }
  if (body.result === undefined) {
    throw new RpcProblem('The RPC refuses', `${host} refused ${method}. Take another RPC.`);
  }
  return body.result;
}

/**
 * Sees that an RPC can be asked, and is of the chain.
 * @throws {RpcProblem}
 */
export async function requireChain(
  url: string,
  chainId: number,
  signal?: AbortSignal,
): Promise<void> {
  const answer = await askRpc(url, 'eth_chainId', [], signal);
  const other = typeof answer === 'string' && /^0x[0-9a-f]{1,13}$/i.test(answer) ? answer : null;
  if (other !== null && Number(other) === chainId) return;
  const actual =
    other === null ? 'did not say which chain it is of' : `is of chain ${Number(other)}`;
  throw new RpcProblem(
    'The RPC is of another chain',
    `${hostOf(url)} ${actual}; this is about chain ${chainId}. Give an RPC of chain ${chainId}.`,
  );
}

/**
 * Finds out why a request failed, which a browser does not say: a server that answers a request whose
 * response may not be read is reachable, and only refuses browsers (CORS).
 */
async function refusalOf(
  url: string,
  request: unknown,
  signal: AbortSignal | undefined,
): Promise<RpcProblem> {
  const host = hostOf(url);
  if (navigator.onLine === false) {
    return new RpcProblem('You are offline', `${host} cannot be reached without a network.`);
  }
  const isReachable = await fetch(url, {
    method: 'POST',
    mode: 'no-cors',
    body: JSON.stringify(request),
    credentials: 'omit',
    signal: within(ANSWER_MS, signal),
  }).then(
    () => true,
    () => false,
  );
  if (isReachable) {
    return new RpcProblem(
      'The RPC lets no web page ask it',
      `${host} answers, but does not allow this page to read it (CORS). Take an RPC that serves browsers, or let yours allow ${location.origin}.`,
    );
  }
  return new RpcProblem(
    'The RPC cannot be reached',
    `Nothing answers at ${host}. Is the address right, and does it run?`,
  );
}

function mixedContent(host: string): RpcProblem {
  return new RpcProblem(
    'Your browser refuses to ask it',
    `This page came over https, and browsers let such a page ask no http address but of this very machine. Give an https address of ${host}, or open this page over http.`,
  );
}

function within(milliseconds: number, signal: AbortSignal | undefined): AbortSignal {
  const late = AbortSignal.timeout(milliseconds);
  return signal === undefined ? late : AbortSignal.any([signal, late]);
}

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: unknown;
}

function isAnswer(body: unknown): body is RpcAnswer {
  if (typeof body !== 'object' || body === null) return false;
  return 'result' in body || 'error' in body;
}
