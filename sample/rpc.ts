/** One JSON-RPC request. */
export interface RpcRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Result of a request, or its error message. */
export type RpcResult = { readonly result: unknown } | { readonly error: string };

/** JSON-RPC endpoint that accepts batches, which viem's public clients do not. */
export interface Rpc {
  /** @throws {Error} with the endpoint's error message. */
  request(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Results in the order of the requests. */
  batch(requests: readonly RpcRequest[]): Promise<readonly RpcResult[]>;
}

/** Requests per HTTP call: nodes limit the size of the body. */
const BATCH_SIZE = 100;
const TIMEOUT_MS = 30_000;

/** Opens a JSON-RPC endpoint. */
export function openRpc(url: string): Rpc {
  const batch = async (requests: readonly RpcRequest[]) => {
    const answers: RpcResult[] = [];
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

async function post(url: string, requests: readonly RpcRequest[]): Promise<RpcResult[]> {
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
