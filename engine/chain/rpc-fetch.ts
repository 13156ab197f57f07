import { ResponseBodyTooLargeError, TimeoutError } from 'viem';
import { refusalKind } from '../core/rpc-refusal.ts';
import { PartSize } from './part-size.ts';
import type { ResponseLimit } from './patience.ts';

/**
 * Bytes of one response: the receipts of a full block are some megabytes, and those of several
 * blocks come in one response. viem's own limit is 10 MiB.
 */
export const MAX_RESPONSE_BYTES = 64 * 1_024 * 1_024;

/** Requests of a batch; fewer if an RPC refuses that many. viem sends no more. */
const MAX_BATCH = 1_000;

/**
 * `fetch` for viem's HTTP transport, with what that lacks:
 *
 * - The time limit is that of the whole response, and a request that exceeds it is cancelled. The error names what
 *   was requested, and how much of the response had arrived.
 * - Each answer of a batch is that of its request. viem sorts them by id and takes them by their place: if an RPC
 *   leaves one out, or refuses one without naming its id, all others would be answers to other requests. If it
 *   refuses a whole batch by one error, each request of the batch has that error.
 * - A batch that the RPC refuses because it is one, or too large, is sent in parts, in the end one request at a time; so
 *   are later ones. A batch of one request is sent as that request.
 *
 * @param limit of a response, or of the parts of a batch together.
 * @param splits false if a batch that is refused is not sent in parts.
 */
export function rpcFetch(limit: ResponseLimit, splits = true): typeof fetch {
  const size = new PartSize(MAX_BATCH);
  return async (input, init = {}) => {
    const requests = requestsOf(init.body);
    const late = new LateResponse(limit, init.body);
    const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
    // viem reads this response, and its own limit ends it.
    if (requests === undefined) return await fetch(input, { ...init, signal });
    const post = async (part: readonly Request[]): Promise<Posted> => {
      const body = JSON.stringify(part.length === 1 ? part[0] : part);
      const response = await fetch(input, { ...init, body, signal });
      const { ok, status, statusText, headers } = response;
      return { ok, status, statusText, headers, body: null, text: await textOf(response, late) };
    };
    try {
      return await inParts(requests, splits ? size : undefined, post);
    } finally {
      late.end();
    }
  };
}

/** Cancels a request whose response is late, with an error that names the request. */
class LateResponse {
  readonly #controller = new AbortController();
  readonly #silence: NodeJS.Timeout;
  readonly #whole: NodeJS.Timeout;
  #bytes = 0;

  constructor({ silenceMs, maxMs }: ResponseLimit, body: RequestInit['body']) {
    const cancelAfter = (ms: number) => {
      const cancel = () => {
        const subject = { requests: describe(body), receivedBytes: this.#bytes, waitedMs: ms };
        this.#controller.abort(new TimeoutError({ body: subject, url: 'the RPC' }));
      };
      return setTimeout(cancel, ms).unref();
    };
    this.#silence = cancelAfter(silenceMs);
    this.#whole = cancelAfter(maxMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** After some bytes have arrived. */
  received(bytes: number): void {
    this.#bytes += bytes;
    this.#silence.refresh();
  }

  end(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#whole);
  }
}

/** Requests as a log names them: the methods, and the blocks of those for logs. */
function describe(body: RequestInit['body']): readonly string[] {
  const all = typeof body === 'string' ? [JSON.parse(body) as Request | Request[]].flat() : [];
  const names = all.map(({ method, params }) => {
    const { fromBlock, toBlock } = Object(Object(params)[0]);
    return fromBlock === undefined
      ? method
      : `${method} of blocks ${Number(fromBlock)} to ${Number(toBlock)}`;
  });
  return [...new Set(names)];
}

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params?: unknown;
}

/** The parts of a response that viem reads. */
interface Posted extends Pick<Response, 'ok' | 'status' | 'statusText' | 'headers' | 'body'> {
  readonly text: string;
}

/** Requests of a batch; `undefined` for a single request. */
function requestsOf(body: RequestInit['body']): readonly Request[] | undefined {
  return typeof body === 'string' && body.startsWith('[') ? JSON.parse(body) : undefined;
}

/**
 * Sends a batch in parts that the RPC accepts. A method that it refuses by HTTP when it is sent alone is not sent again,
 * and does not fail the others.
 * @param size `undefined` if it is sent as it is.
 * @returns one response with all answers, or the first that has none.
 */
async function inParts(
  requests: readonly Request[],
  size: PartSize | undefined,
  post: (part: readonly Request[]) => Promise<Posted>,
): Promise<Response> {
  const texts: string[] = [];
  const refused = new Map<string, Posted>();
  let last: Posted | undefined;
  let rest = requests;
  while (rest.length > 0) {
    const part = rest.slice(0, size?.blocks ?? MAX_BATCH);
    const ids = part.map(({ id }) => id);
    const [{ method } = { method: '' }] = part;
    const before = part.length === 1 ? refused.get(method) : undefined;
    const posted = before ?? (await post(part));
    if (size && part.length > 1 && isBatchRefused(posted, part.length)) {
      size.shrink(part.length);
      continue;
    }
    const text = inOrder(posted.text, ids);
    // Each answer says more than a status for all; only that of a limit has the time to wait in its headers.
    const isSplit = requests.length > 1;
    if (posted.ok || (isSplit && posted.status !== 429 && text !== posted.text)) {
      texts.push(text);
      last = posted;
    } else if (size && isSplit && part.length === 1 && isRefusedByForm(posted)) {
      texts.push(refusedAlone(posted.status, ids));
      refused.set(method, posted);
    } else return asResponse(posted, text);
    rest = rest.slice(part.length);
    if (part.length > 1) size?.grow();
  }
  const [all] = refused.values();
  // If it refuses everything, it does not refuse a method.
  if (last === undefined && all !== undefined) return asResponse(all, all.text);
  return asResponse({ ...(last as Posted), ok: true, status: 200 }, joined(texts));
}

function asResponse(posted: Posted, text: string): Response {
  return { ...posted, text: async () => text } as Response;
}

/** @throws {ResponseBodyTooLargeError} */
async function textOf({ body }: Response, late: LateResponse): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    late.received(chunk.byteLength);
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
function errorIn(answer: Answer | undefined): RpcError | undefined {
  const error = Object(answer?.error);
  return typeof error.code === 'number' && typeof error.message === 'string' ? error : undefined;
}

interface RpcError {
  readonly code: number;
  readonly message: string;
}

/** Statuses with which an RPC or a proxy refuses a request because of its form, or of a method in it. */
const FORM_STATUSES: ReadonlySet<number> = new Set([400, 403, 404, 405, 413, 415, 422]);

function isRefusedByForm({ status, text }: Posted): boolean {
  return FORM_STATUSES.has(status) && parsed(text) === undefined;
}

/** Answers of a part whose requests were refused by HTTP, while others of the batch were answered. */
function refusedAlone(status: number, ids: readonly number[]): string {
  const error = { code: status, message: `HTTP ${status}` };
  return JSON.stringify(ids.map((id) => ({ jsonrpc: '2.0', id, error })));
}
/** Code of JSON-RPC for a request of another form than expected. */
const INVALID_REQUEST = -32_600;
/** Characters of a response that can only be a refusal: a longer one is not parsed to find out. */
const MAX_REFUSAL_LENGTH = 500_000;

/** True if an RPC refused a batch because it is one, or has too many requests, and not what it asks for. */
function isBatchRefused({ status, text }: Posted, requests: number): boolean {
  if (text.length > MAX_REFUSAL_LENGTH) return false;
  const answers = parsed(text);
  const [error, ...others] = (answers ?? []).map((answer) => errorIn(answer));
  if (error === undefined) return answers === undefined && FORM_STATUSES.has(status);
  if (refusalKind({ ...error, words: error.message, status }) === 'rate') return false;
  if (others.some((one) => one === undefined)) return false;
  const isForAll = others.length + 1 < requests;
  const isForm = error.code === INVALID_REQUEST || FORM_STATUSES.has(status);
  return /\bbatch/i.test(error.message) || (isForAll && isForm);
}

/** The answers of several responses, as those of one batch. */
function joined(texts: readonly string[]): string {
  const lists = texts.map((text) => text.trim());
  const unreadable = lists.find((text) => !/^[[{]/.test(text));
  if (unreadable !== undefined) return unreadable;
  const [only] = lists;
  if (lists.length === 1 && only?.startsWith('[')) return only;
  return `[${lists.map((text) => (text.startsWith('[') ? text.slice(1, -1) : text)).join(',')}]`;
}
