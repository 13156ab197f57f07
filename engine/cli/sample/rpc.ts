/** One JSON-RPC request. */
export interface RpcRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a request was answered: a result, or why there is none. */
export type RpcAnswer = { readonly result: unknown } | { readonly error: string };

/** A JSON-RPC endpoint that takes many requests at once, as viem's public clients do not. */
export interface Rpc {
  /** @throws Error where it is answered with one. */
  request(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Answers in the order of the requests. */
  batch(requests: readonly RpcRequest[]): Promise<readonly RpcAnswer[]>;
}

/** Requests of one HTTP call: a node limits the bytes of its body. */
const BATCH_SIZE = 100;
const TIMEOUT_MS = 30_000;

export function openRpc(url: string): Rpc {
  const batch = async (requests: readonly RpcRequest[]) => {
    const answers: RpcAnswer[] = [];
    for (let i = 0; i < requests.length; i += BATCH_SIZE) {
      answers.push(...(await post(url, requests.slice(i, i + BATCH_SIZE))));
    }
    return answers;
  };
  return {
    batch,
    async request(method, ...params) {
      const [answer] = await batch([{ method, params }]);
      if (answer === undefined) throw new Error(`${url} did not answer ${method}.`);
      if ('error' in answer) throw new Error(`${url} answered ${method} with: ${answer.error}`);
      return answer.result;
    },
  };
}

type Response = { id: number; result?: unknown; error?: { message: string } };

async function post(url: string, requests: readonly RpcRequest[]): Promise<RpcAnswer[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(requests.map((request, id) => ({ jsonrpc: '2.0', id, ...request }))),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`${url} answered HTTP ${response.status}.`);
  const answers = new Map(((await response.json()) as Response[]).map((each) => [each.id, each]));
  return requests.map(({ method }, id) => {
    const answer = answers.get(id);
    if (answer === undefined) throw new Error(`${url} left out the answer to ${method}.`);
    return answer.error ? { error: answer.error.message } : { result: answer.result };
  });
}
