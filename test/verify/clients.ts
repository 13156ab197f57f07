import { createPublicClient, custom, http, type PublicClient } from 'viem';

/** A client as the API has it, and how many HTTP requests it has sent. */
export function batchingClient(url: string): { client: PublicClient; roundTrips: () => number } {
  let sent = 0;
  const onFetchRequest = () => {
    sent += 1;
  };
  const transport = http(url, { batch: true, onFetchRequest, retryCount: 0 });
  return { client: createPublicClient({ transport }), roundTrips: () => sent };
}

/** One JSON-RPC request. */
export interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Reaction of a simulated RPC to a request; `pass` asks the real one. */
export type Behaviour = (question: Question, pass: (q?: Question) => Promise<unknown>) => unknown;

/** Error response of an RPC that refuses a request. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A client of an RPC that answers in a way of its own. */
export function strangeClient(url: string, behave: Behaviour): PublicClient {
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    const question = { method, params: Array.isArray(params) ? params : [] };
    return behave(question, (changed = question) => askRpc(url, changed));
  };
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
}

/** A client that sends each question once, for a chain that does not change. */
export function rememberingClient(url: string): PublicClient {
  return strangeClient(url, remembering());
}

/** Asks each question once, for a chain that does not change. */
export function remembering(): Behaviour {
  const answers = new Map<string, Promise<unknown>>();
  return (question, pass) => {
    const key = JSON.stringify(question);
    const answer = answers.get(key) ?? pass();
    answers.set(key, answer);
    return answer;
  };
}

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Asks an RPC. */
export async function askRpc(url: string, { method, params }: Question): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error }: RpcAnswer = JSON.parse(await response.text());
  if (error) throw new Refusal(error.code, error.message);
  return result;
}
