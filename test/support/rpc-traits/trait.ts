import type { Hex } from 'viem';

/** A JSON-RPC request. */
export interface RpcRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** An answer of JSON-RPC. */
export interface RpcAnswer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** An HTTP response that takes the place of an answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks the RPC behind, or the behaviour that is applied before. */
export type Ask = (request: RpcRequest) => Promise<RpcAnswer>;

/** A behaviour while it is played: it may count. Each part is optional. */
export interface Behaviour {
  readonly http?: (
    requests: readonly RpcRequest[],
    authorization: string | undefined,
  ) => HttpAnswer | undefined;
  readonly answer?: (request: RpcRequest, ask: Ask) => Promise<RpcAnswer>;
  /** Changes the answers to a batch of more than one request. */
  readonly batch?: (answers: readonly RpcAnswer[]) => unknown;
  readonly body?: 'cut' | 'gzip';
}

export const families = ['facts', 'refusals', 'limits', 'absences', 'transport'] as const;
export type Family = (typeof families)[number];

/** A habit of RPCs that was seen in public. */
export interface Trait {
  readonly family: Family;
  /** The end of a sentence that begins with "The RPC". */
  readonly does: string;
  /** Public issues, as owner/repository#number. */
  readonly seen: readonly string[];
  /** True if settlement goes on; false if it waits, and says why. */
  readonly settles: boolean;
  /** A sentence: what Tributary does. */
  readonly rule: string;
  /** The alarm while it waits. */
  readonly says?: RegExp;
  /** Its forms, by words of the RPC or other names. */
  readonly forms: Readonly<Record<string, () => Behaviour>>;
  /** Shares of the requests that the simulator lets it hit, in percent; default: all. Empty: it does not play it. */
  readonly simulated?: readonly number[];
}

/** A result that comes too late: the caller gives up before. */
export const TOO_LATE = Symbol('too late');

/** An error of JSON-RPC. */
export const error = (code: number, message: string, data?: unknown) => ({
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

/** Answers some requests in place of the RPC. */
export function instead(answerOf: (request: RpcRequest) => object | undefined): () => Behaviour {
  return () => ({
    answer: async (request, ask) => {
      const answer = answerOf(request);
      return answer === undefined ? await ask(request) : { id: request.id, ...answer };
    },
  });
}

/** Changes results of the RPC. */
export function changed(
  change: (request: RpcRequest, result: unknown) => unknown,
): () => Behaviour {
  return () => ({
    answer: async (request, ask) => {
      const answer = await ask(request);
      if (!('result' in answer)) return answer;
      const result = change(request, answer.result);
      return result === answer.result ? answer : { ...answer, result };
    },
  });
}

export const isBlock = (value: unknown): value is { readonly number: Hex; readonly hash: Hex } =>
  typeof Object(value).hash === 'string' && typeof Object(value).parentHash === 'string';

export const isTag = ({ method, params: [tag] = [] }: RpcRequest) =>
  method === 'eth_getBlockByNumber' && (tag === 'safe' || tag === 'finalized');

/** The blocks of an `eth_getLogs` by range; `undefined` for another request. */
export function rangeOf({ method, params: [filter] = [] }: RpcRequest) {
  const { fromBlock, toBlock } = Object(filter);
  if (method !== 'eth_getLogs' || fromBlock === undefined || toBlock === undefined)
    return undefined;
  const [from, to] = [Number(fromBlock), Number(toBlock)];
  return { from, to, blocks: to - from + 1 };
}

/** The newest block of the RPC behind. */
export async function headOf(ask: Ask): Promise<number> {
  const { result } = await ask({
    id: 0,
    method: 'eth_getBlockByNumber',
    params: ['latest', false],
  });
  return Number(Object(result).number);
}

export const toHex = (value: number): Hex => `0x${Math.max(0, value).toString(16)}`;
