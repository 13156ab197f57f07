import type { Transport } from 'viem';
import type { RpcHealth, RpcState } from '../core/rpc-health.ts';
import { aroundRequests, type RpcRequest } from './around-requests.ts';
import {
  httpStatusOf,
  isAbsent,
  isLimited,
  isPruned,
  isUnanswered,
  refusalOf,
  rpcWords,
  waitAfter,
} from './errors.ts';
import { WrongChainError } from './identity.ts';

/** Milliseconds without a failure after which an RPC that answers is well again: one that fails now and then is not. */
const WELL_AFTER_MS = 30_000;

/** Seconds of the chain's time that the newest block of an RPC is behind that of another, to count as behind. */
const BEHIND_SECONDS = 30;
/** Milliseconds for which a newest block is compared with others. */
const HEAD_MS = 60_000;

interface Watched {
  readonly place: number;
  readonly url: string;
  state: RpcState;
  /** Milliseconds, as all times here. */
  since: number;
  failedAt: number;
  until: number | null;
  /** Most blocks of an answered `eth_getLogs`, and fewest of a refused one. */
  answeredBlocks: number;
  refusedBlocks: number | null;
  disagreements: number;
  lastDisagreement: { at: number; about: string } | null;
  /** The newest block that it returned: Unix seconds, and when. */
  head: { timestamp: number; at: number } | null;
}

/** Records what each URL of `RPC_URL` did. */
export class RpcWatch {
  readonly #rpcs = new Map<number, Watched>();

  /** @param clock milliseconds since 1970. */
  constructor(private readonly clock: () => number = () => Date.now()) {}

  /** Health of each URL, in the order of `RPC_URL`. */
  health(): readonly RpcHealth[] {
    const now = this.clock();
    const rpcs = [...this.#rpcs.values()].sort((a, b) => a.place - b.place);
    const heads = rpcs.flatMap(({ head }) => (head && now - head.at < HEAD_MS ? [head] : []));
    const newest = Math.max(...heads.map(({ timestamp }) => timestamp));
    for (const rpc of rpcs) {
      const isBehind =
        rpc.head !== null &&
        heads.includes(rpc.head) &&
        newest - rpc.head.timestamp > BEHIND_SECONDS;
      if (rpc.state === 'ok' && isBehind) this.#enter(rpc, 'behind');
      if (rpc.state === 'behind' && !isBehind) this.#enter(rpc, 'ok');
    }
    return rpcs.map(healthOf);
  }

  /** Records an answer, whatever it says. */
  answered(place: number, request: RpcRequest, answer?: unknown): void {
    const rpc = this.#rpcs.get(place);
    if (rpc === undefined) return;
    const blocks = blocksOf(request);
    rpc.answeredBlocks = Math.max(rpc.answeredBlocks, blocks);
    if (rpc.refusedBlocks !== null && blocks >= rpc.refusedBlocks) rpc.refusedBlocks = null;
    const timestamp = newestOf(request, answer);
    if (timestamp !== undefined) rpc.head = { timestamp, at: this.clock() };
    const isWell = rpc.state === 'unused' || this.clock() - rpc.failedAt >= WELL_AFTER_MS;
    if (rpc.state !== 'ok' && rpc.state !== 'behind' && isWell) this.#enter(rpc, 'ok');
  }

  /** Records the error of a request. A revert, or something that the RPC does not have, is an answer. */
  failed(place: number, request: RpcRequest, error: unknown): void {
    const rpc = this.#rpcs.get(place);
    if (rpc === undefined) return;
    const blocks = blocksOf(request);
    if (blocks > 1 && refusalOf(error) === 'size') {
      rpc.refusedBlocks = Math.min(rpc.refusedBlocks ?? Number.POSITIVE_INFINITY, blocks);
      if (rpc.answeredBlocks >= rpc.refusedBlocks) rpc.answeredBlocks = 0;
      return;
    }
    const state = stateAfter(request, error);
    if (state === undefined) this.answered(place, request);
    else this.fail(place, state, retryAt(error, this.clock()));
  }

  /** Records that a request failed by a bad state of the RPC. @param until milliseconds since 1970, if it has said so. */
  fail(place: number, state: RpcState, until: number | null = null): void {
    this.enter(place, state, until);
    const rpc = this.#rpcs.get(place);
    if (rpc !== undefined) rpc.failedAt = this.clock();
  }

  /** Records the state that another process has found. */
  enter(place: number, state: RpcState, until: number | null): void {
    const rpc = this.#rpcs.get(place);
    if (rpc === undefined) return;
    if (rpc.state !== state) this.#enter(rpc, state);
    rpc.until = until;
  }

  /** Records that an answer of an RPC differed from that of most others. */
  disagreed(place: number, about: string): void {
    const rpc = this.#rpcs.get(place);
    if (rpc === undefined) return;
    rpc.disagreements += 1;
    rpc.lastDisagreement = { at: this.clock(), about };
  }

  /** Begins to watch a URL. */
  add(url: string, place: number): void {
    if (this.#rpcs.get(place)?.url === url) return;
    const none = { until: null, refusedBlocks: null, lastDisagreement: null, head: null };
    this.#rpcs.set(place, {
      ...{ place, url, state: 'unused', since: this.clock(), failedAt: 0 },
      ...{ answeredBlocks: 0, disagreements: 0, ...none },
    });
  }

  /** The transport, whose requests are watched. */
  watched(transport: Transport, url: string, place: number): Transport {
    this.add(url, place);
    return aroundRequests(transport, (send) => async (request, options) => {
      try {
        const answer = await send(request, options);
        this.answered(place, request, answer);
        return answer;
      } catch (error) {
        this.failed(place, request, error);
        throw error;
      }
    });
  }

  /** The transport, of which only the comparison with the chain is watched. */
  compared(transport: Transport, place: number): Transport {
    return aroundRequests(transport, (send) => async (request, options) => {
      try {
        return await send(request, options);
      } catch (error) {
        if (error instanceof WrongChainError) this.fail(place, 'other-chain');
        throw error;
      }
    });
  }

  #enter(rpc: Watched, state: RpcState): void {
    rpc.state = state;
    rpc.since = this.clock();
    if (state === 'ok') rpc.until = null;
  }
}

/** The URLs of this process. */
export const rpcWatch = new RpcWatch();

function healthOf(rpc: Watched): RpcHealth {
  const { place, state, disagreements, lastDisagreement: last } = rpc;
  return {
    ...{ place, state, disagreements },
    since: new Date(rpc.since),
    until: rpc.until === null ? null : new Date(rpc.until),
    maxLogBlocks: rpc.refusedBlocks === null ? null : Math.max(1, rpc.answeredBlocks),
    lastDisagreement: last && { at: new Date(last.at), about: last.about },
  };
}

/** Milliseconds since 1970 until which the RPC wants to be left alone; `null` if it did not say. */
function retryAt(error: unknown, now: number): number | null {
  const waitMs = waitAfter(error, now);
  return waitMs === 0 ? null : now + waitMs;
}

/** HTTP statuses of an RPC that refuses every caller. */
const REFUSED: ReadonlySet<number> = new Set([401, 402, 403, 404, 405]);

/** Methods that every RPC must have: only their refusal says something about the RPC. */
const NEEDED: ReadonlySet<string> = new Set([
  'eth_chainId',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getLogs',
]);

/** The state that an error shows; `undefined` if it is about the request alone. */
function stateAfter({ method }: RpcRequest, error: unknown): RpcState | undefined {
  const status = httpStatusOf(error);
  const kind = refusalOf(error);
  if (kind === 'rate') return 'rate-limited';
  if (kind === 'size') return undefined;
  if (isLimited(error)) return 'rate-limited';
  if (status !== undefined) return stateOfStatus(status);
  if (isUnanswered(error)) return 'unreachable';
  const isRefusal = rpcWords(error) !== undefined && !isAbsent(error) && !isPruned(error);
  return isRefusal && NEEDED.has(method) ? 'refused' : undefined;
}

/** The state that an HTTP status shows; `undefined` if it is about the request alone. */
function stateOfStatus(status: number): RpcState | undefined {
  if (REFUSED.has(status)) return 'refused';
  return status >= 500 || status === 408 ? 'unreachable' : undefined;
}

/** Blocks that an `eth_getLogs` asks for; 0 of anything else. */
function blocksOf({ method, params }: RpcRequest): number {
  if (method !== 'eth_getLogs') return 0;
  const { fromBlock, toBlock } = Object(Object(params)[0]);
  const blocks = Number(toBlock) - Number(fromBlock) + 1;
  return Number.isSafeInteger(blocks) ? blocks : 0;
}

/** Unix seconds of the newest block, if the request was for it. */
function newestOf({ method, params }: RpcRequest, answer: unknown): number | undefined {
  if (method !== 'eth_getBlockByNumber' || Object(params)[0] !== 'latest') return undefined;
  const timestamp = Number(Object(answer).timestamp);
  return Number.isSafeInteger(timestamp) ? timestamp : undefined;
}
