import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { type RpcAnswer, type RpcRequest, TOO_LATE } from '../../support/rpc-traits/trait.ts';
import type { Dice } from '../dice.ts';
import { falsified, hideAbove, type Lie, lagged } from './rpc-lies.ts';
import type { Provider } from './rpc-traits.ts';

/** How a node can go wrong that does not lie: it is slow, behind, refuses, or breaks off. */
export type RpcFaultKind = 'lag' | 'rateLimit' | 'drop' | 'truncate' | 'slow';

/** Who asks. Each has an address of its own, so that one can be hit without the others. */
export const consumers = ['indexer', 'worker', 'api'] as const;
export type Consumer = (typeof consumers)[number];

/** A fault in a share of the responses. */
export interface RpcFault {
  readonly kind: RpcFaultKind | Lie;
  /** Percentage of responses with the fault. */
  readonly percent: number;
  /** Blocks that a lagging node is behind. */
  readonly lagBlocks: number;
  readonly dice: Dice;
}

/** Two addresses of each consumer: the second is there for an outage of the first. */
const PLACES = ['first', 'second'] as const;
type Place = (typeof PLACES)[number];

/** True for a request by which a client finds out which chain an RPC is of. */
function isIdentifying({ method, params: [block] = [] }: RpcRequest): boolean {
  return method === 'eth_chainId' || (method === 'eth_getBlockByNumber' && block !== 'latest');
}

/** A node between ours and anvil with faults that can be switched on. */
export class RpcProxy {
  readonly #faults = new Map<Consumer, RpcFault>();
  readonly #providers = new Map<Consumer, Provider>();
  /** Consumers whose first RPC is away, while the second one is of another chain. */
  readonly #misled = new Set<Consumer>();
  /** Requests to an RPC of another chain that do not ask which chain it is of. */
  askedOfOther = 0;
  readonly #server: Server;
  /** Answers that a fault has touched, by kind. */
  readonly hits = new Map<string, number>();

  private constructor(readonly target: string) {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(target: string): Promise<RpcProxy> {
    const proxy = new RpcProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  url(consumer: Consumer, place: Place = 'first'): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy does not run.');
    return `http://127.0.0.1:${address.port}/${place}/${consumer}`;
  }

  break(consumer: Consumer, fault: RpcFault): void {
    this.#faults.set(consumer, fault);
  }

  /** Gives the RPCs of a consumer the traits of a provider. */
  give(consumer: Consumer, provider: Provider): void {
    this.#providers.set(consumer, provider);
  }

  /** Takes the first RPC of a consumer away, and lets the second one be of another chain. */
  mislead(consumer: Consumer): void {
    this.#misled.add(consumer);
  }

  mend(): void {
    this.#faults.clear();
    this.#providers.clear();
    this.#misled.clear();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, place, name] = (request.url ?? '').split('/');
    const consumer = consumers.find((one) => one === name);
    // What is posted is ours or Ponder's: a request, or a list of them.
    const body = (await json(request)) as RpcRequest | RpcRequest[];
    const given = consumer === undefined ? undefined : this.#faults.get(consumer);
    const fault = given?.dice.chance(given.percent) ? given : undefined;
    if (consumer !== undefined && this.#misled.has(consumer)) {
      this.hits.set('misled', (this.hits.get('misled') ?? 0) + 1);
      if (place === 'first') response.destroy();
      else await this.#answerAsOther(body, response);
      return;
    }
    const provider = consumer === undefined ? undefined : this.#providers.get(consumer);
    if (provider !== undefined) {
      await this.#answerAs(provider, body, response);
      return;
    }
    if (fault !== undefined) this.hits.set(fault.kind, (this.hits.get(fault.kind) ?? 0) + 1);
    if (fault?.kind === 'rateLimit') {
      response.writeHead(429, { 'retry-after': '0' }).end('Too many requests');
      return;
    }
    if (fault?.kind === 'drop') {
      response.destroy();
      return;
    }
    if (fault?.kind === 'slow') await setTimeout(fault.dice.between(20, 400));
    const requests = Array.isArray(body) ? body : [body];
    const answers = await this.#answer(requests, fault);
    const text = JSON.stringify(Array.isArray(body) ? answers : answers[0]);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(fault?.kind === 'truncate' ? text.slice(0, text.length / 2) : text);
  }

  /** Answers as an RPC with traits. */
  async #answerAs(
    provider: Provider,
    body: RpcRequest | RpcRequest[],
    response: ServerResponse,
  ): Promise<void> {
    const requests = Array.isArray(body) ? body : [body];
    const http = provider.http(requests);
    if (http !== undefined) {
      response.writeHead(http.status, http.headers).end(http.body);
      return;
    }
    const ask = async (request: RpcRequest) => (await this.#ask([request]))[0] ?? request;
    const answers = await Promise.all(requests.map((request) => provider.answer(request, ask)));
    // What comes too late never comes: the client gives up and cancels its request.
    if (answers.some(({ result }) => result === TOO_LATE)) return;
    const text = provider.text(answers, Array.isArray(body));
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  }

  /** Answers as an RPC of another chain. */
  async #answerAsOther(body: RpcRequest | RpcRequest[], response: ServerResponse): Promise<void> {
    const requests = Array.isArray(body) ? body : [body];
    this.askedOfOther += requests.filter((one) => !isIdentifying(one)).length;
    const answers = (await this.#ask(requests)).map((answer, i) =>
      requests[i]?.method === 'eth_chainId'
        ? { ...answer, result: '0x1' }
        : falsified('wrongHash', requests[i] ?? { id: 0, method: '' }, answer),
    );
    const text = JSON.stringify(Array.isArray(body) ? answers : answers[0]);
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  }

  async #answer(requests: RpcRequest[], fault: RpcFault | undefined): Promise<RpcAnswer[]> {
    switch (fault?.kind) {
      case 'lag':
        return await this.#behind(requests, fault.lagBlocks);
      case 'emptyLogs':
      case 'shortLogs':
      case 'repeatedLogs':
      case 'shuffledLogs':
      case 'wrongHash': {
        const { kind } = fault;
        const answers = await this.#ask(requests);
        return requests.map((request, i) => falsified(kind, request, answers[i] ?? request));
      }
      default:
        return await this.#ask(requests);
    }
  }

  async #behind(requests: readonly RpcRequest[], lagBlocks: number): Promise<RpcAnswer[]> {
    const [head] = await this.#ask([{ id: 0, method: 'eth_blockNumber', params: [] }]);
    const limit = Math.max(0, Number(head?.result) - lagBlocks);
    return await Promise.all(
      requests.map(async (request) => {
        const made = lagged(request, limit);
        if ('answer' in made) return { jsonrpc: '2.0', ...made.answer };
        const [answer] = await this.#ask([made.ask]);
        return hideAbove(answer ?? { id: request.id }, limit);
      }),
    );
  }

  async #ask(requests: readonly RpcRequest[]): Promise<RpcAnswer[]> {
    const body = JSON.stringify(requests.map((one) => ({ ...one, jsonrpc: '2.0' })));
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.target, { method: 'POST', headers, body });
    const answers = (await response.json()) as RpcAnswer[];
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    return requests.map(({ id }) => byId.get(id) ?? { id, error: { message: 'no answer' } });
  }
}
