import { ResponseBodyTooLargeError, TimeoutError } from 'viem';

/**
 * Bytes of one response: the receipts of a full block are some megabytes, and those of several
 * blocks come in one response. viem's own limit is 10 MiB.
 */
export const MAX_RESPONSE_BYTES = 64 * 1_024 * 1_024;

/**
 * `fetch` for viem's HTTP transport, with what that lacks:
 *
 * - The time limit is that of the whole response. viem's ends with the headers, so that an RPC which stops in the
 *   middle of a response holds its request for minutes. Here the request is cancelled.
 * - Each answer of a batch is that of its request. viem sorts them by id and takes them by their place: if an RPC
 *   leaves one out, or refuses one without naming its id, all others would be answers to other requests. If it
 *   refuses a whole batch by one error, each request of the batch has that error.
 *
 * @param timeoutMs milliseconds that a response may take.
 */
export function rpcFetch(timeoutMs: number, send: typeof fetch = fetch): typeof fetch {
  return async (input, init = {}) => {
    const late = new AbortController();
    const end = () => late.abort(new TimeoutError({ body: {}, url: 'the RPC' }));
    setTimeout(end, timeoutMs).unref();
    const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
    const response = await send(input, { ...init, signal });
    const ids = idsOf(init.body);
    if (ids === undefined) return response;
    const text = inOrder(await textOf(response), ids);
    const { ok, status, statusText, headers } = response;
    // All that viem reads of a response.
    return { ok, status, statusText, headers, body: null, text: async () => text } as Response;
  };
}

/** Ids of the requests of a batch; `undefined` for a single request. */
function idsOf(body: RequestInit['body']): readonly number[] | undefined {
  if (typeof body !== 'string' || !body.startsWith('[')) return undefined;
  const requests: readonly { readonly id: number }[] = JSON.parse(body);
  return requests.map(({ id }) => id);
}

/** @throws {ResponseBodyTooLargeError} */
async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_RESPONSE_BYTES) {
      throw new ResponseBodyTooLargeError({ maxSize: MAX_RESPONSE_BYTES, size });
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** One answer for each request of a batch. */
function inOrder(text: string, ids: readonly number[]): string {
  const found = new Set(Array.from(text.matchAll(ID), ([, id]) => Number(id)));
  // The rest may be long, and is not parsed: results have no field of that name.
  if (found.size === ids.length && ids.every((id) => found.has(id))) return text;
  const answers = parsed(text);
  if (answers === undefined) return text;
  const byId = new Map(answers.map((answer) => [Number(answer?.id ?? Number.NaN), answer]));
  const general = errorIn(answers.find((answer) => answer?.id == null) ?? answers[0]);
  return JSON.stringify(
    ids.map((id) => byId.get(id) ?? { jsonrpc: '2.0', id, error: general ?? NO_ANSWER }),
  );
}

const ID = /"id"\s*:\s*(\d+|null)/g;
const NO_ANSWER = { code: -32_603, message: 'no answer to this request of the batch' };

type Answer = { readonly id?: unknown; readonly error?: unknown } | null;

/** The answers of a batch; `undefined` if they are no JSON, which viem reports. */
function parsed(text: string): readonly Answer[] | undefined {
  try {
    const answers: Answer | readonly Answer[] = JSON.parse(text);
    return Array.isArray(answers) ? answers : [answers as Answer];
  } catch {
    return undefined;
  }
}

/** The error of an answer, if it is one of JSON-RPC. */
function errorIn(answer: Answer | undefined): object | undefined {
  const error = Object(answer?.error);
  return typeof error.code === 'number' && typeof error.message === 'string' ? error : undefined;
}
