import { type Hex, keccak256 } from 'viem';
import type { RpcAnswer, RpcRequest } from '../../support/rpc-traits/trait.ts';

/** False responses of a bad node. */
export const lies = {
  emptyLogs: (logs: readonly unknown[]) => logs.slice(0, 0),
  shortLogs: (logs: readonly unknown[]) => logs.slice(0, -1),
  repeatedLogs: (logs: readonly unknown[]) => logs.flatMap((log) => [log, log]),
  shuffledLogs: (logs: readonly unknown[]) => logs.toReversed(),
} as const;

export type Lie = keyof typeof lies | 'wrongHash';

/** The response of a node with this lie. */
export function falsified(lie: Lie, { method }: RpcRequest, answer: RpcAnswer): RpcAnswer {
  const { result } = answer;
  if (lie === 'wrongHash') {
    return method === 'eth_getBlockByNumber' && isBlock(result)
      ? { ...answer, result: { ...result, hash: keccak256(result.hash) } }
      : answer;
  }
  if (method !== 'eth_getLogs' || !Array.isArray(result)) return answer;
  return { ...answer, result: lies[lie](result) };
}

function isBlock(value: unknown): value is { hash: Hex } {
  return typeof value === 'object' && value !== null && 'hash' in value && value.hash !== null;
}

/** A request to a node that is behind: what it would not know yet, it does not know. */
export type Lagged = { readonly ask: RpcRequest } | { readonly answer: RpcAnswer };

/** A request as a node whose newest block is `limit` handles it. */
export function lagged(request: RpcRequest, limit: number): Lagged {
  const { id, method, params = [] } = request;
  const answer = (result: unknown): Lagged => ({ answer: { id, result } });
  if (method === 'eth_blockNumber') return answer(toHex(limit));
  if (method === 'eth_getBlockByNumber') {
    const [block, ...rest] = params;
    if (block === 'latest') return { ask: { ...request, params: [toHex(limit), ...rest] } };
    return Number(block) > limit ? answer(null) : { ask: request };
  }
  const [filter] = params;
  if (method !== 'eth_getLogs' || typeof filter !== 'object' || filter === null) {
    return { ask: request };
  }
  if (!('fromBlock' in filter) || !('toBlock' in filter)) return { ask: request };
  if (Number(filter.fromBlock) > limit) return answer([]);
  const toBlock = toHex(Math.min(limit, Number(filter.toBlock)));
  return { ask: { ...request, params: [{ ...filter, toBlock }] } };
}

/** The response of a lagging node: it cannot show a block above its newest. */
export function hideAbove(answer: RpcAnswer, limit: number): RpcAnswer {
  const { id, result } = answer;
  const first: unknown = Array.isArray(result) ? result[0] : result;
  if (typeof first !== 'object' || first === null) return answer;
  const number =
    'blockNumber' in first ? first.blockNumber : 'number' in first ? first.number : undefined;
  if (typeof number !== 'string' || Number(number) <= limit) return answer;
  return Array.isArray(result)
    ? { id, error: { code: -32_000, message: 'unknown block' } }
    : { id, result: null };
}

function toHex(value: number): Hex {
  return `0x${Math.max(0, value).toString(16)}`;
}
