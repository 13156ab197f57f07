import type { Method } from '../contract/define.ts';
import type { ResponseMeta } from '../contract/envelope.ts';
import type { InputOf, MethodName, MethodOf, OutputOf, Registry } from '../contract/types.ts';
import { type Confirm, freshConfirmation } from './confirmation.ts';
import { ApiError } from './error.ts';
import { type ClientMethod, clientMethods } from './methods.ts';
import { toRequest } from './request.ts';
import { readResponse } from './response.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import { type ClientSession, SessionKeeper } from './session.ts';
import { openStream, type StreamOptions, type StreamUpdate } from './stream.ts';

/** Options of `createClient`. */
export interface ClientOptions {
  /** URL of the service, without /v1. */
  readonly baseUrl: string;
  /** Function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /**
   * The `Origin` of writes, for use without a browser; it must be one that the service allows. A
   * browser always sends its own.
   */
  readonly origin?: string;
  /** Session of the signed-in account, if there is one already. */
  readonly session?: ClientSession;
  /** API key, for programs: calls then need no session. It must never be in a page. */
  readonly apiKey?: string;
  /** Merchant for which the account works, if it is not its own. */
  readonly merchant?: string;
  /**
   * Asks the wallet for a fresh signature if a sensitive write needs one (CONFIRMATION_REQUIRED): an
   * EIP-4361 message with the nonce, as for sign-in. The write is then repeated once. Without this option
   * the error is thrown.
   */
  readonly confirm?: Confirm;
  /** How often reads are repeated after 429, 503 and network errors. */
  readonly retry?: RetryOptions;
}

/** Options of a call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /**
   * Name of a `POST`, at most 200 characters: repeated with the same name within a day, it does nothing again and gets
   * the first response.
   */
  readonly idempotencyKey?: string;
}

/** Result of a call: the method's data, and the block that the ledger was read as of. */
export interface ClientReply<T> {
  readonly data: T;
  readonly meta: ResponseMeta;
}

/** A client method. The input is optional if the method has no required fields. */
export type ClientCall<I, O> =
  Record<never, never> extends I
    ? (input?: I, options?: CallOptions) => Promise<ClientReply<O>>
    : (input: I, options?: CallOptions) => Promise<ClientReply<O>>;

type CallOf<M extends Method> = ClientCall<InputOf<M>, OutputOf<M>>;

type ResourceCalls<R extends keyof Registry> = {
  readonly [K in keyof Registry[R]]: Registry[R][K] extends { name: infer N extends MethodName }
    ? CallOf<MethodOf<N>>
    : never;
};

type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };
type PageInput = { cursor?: string | undefined } | undefined;

type EventsCall = CallOf<MethodOf<'events.list'>>;

/** A typed client of every method that has its schemas, by resource. */
export type Client = {
  readonly [R in keyof Registry as keyof ResourceCalls<R> extends never
    ? never
    : R]: ResourceCalls<R>;
} & {
  /** Iterates over all items of a collection: `for await (const sale of client.pages(…))`. */
  readonly pages: <I extends PageInput, T>(
    call: (input: I) => Promise<ClientReply<Page<T>>>,
    input: NoInfer<NonNullable<I>>,
  ) => AsyncGenerator<T>;
  /**
   * Iterates over the pages of `events.list` until there are no more events now. Apply `retracted` and `restarted` of each
   * page before its items, and store its `after` to continue any time later (docs/reference/api.md#following-events).
   */
  readonly eventPages: (
    input?: InputOf<MethodOf<'events.list'>>,
    options?: CallOptions,
  ) => AsyncGenerator<OutputOf<MethodOf<'events.list'>>>;
  /**
   * Fetches a file by a link from a method, with the session: reports belong to their owner. The request
   * always goes to `baseUrl`, even if the link names another host, so that no other host gets the session.
   */
  readonly download: (url: string, options?: CallOptions) => Promise<Response>;
  /**
   * Iterates over settled changes as they happen: `for await (const message of client.stream({ signal }))`.
   * It reconnects and resumes automatically until the signal aborts or the loop ends.
   */
  readonly stream: (options?: StreamOptions) => AsyncGenerator<StreamUpdate>;
  /**
   * Sets the session; `null` removes it. `auth.signIn` and `auth.session` set it automatically.
   */
  readonly useSession: (session: ClientSession | null) => void;
};

/**
 * Creates a client from the registry, for Node and browsers. It opens no connection until a method is
 * called. Calls throw an `ApiError` if they fail.
 *
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:4000' });
 * const { data } = await client.campaigns.list({ sort: 'reward', limit: 5 });
 */
export function createClient(options: ClientOptions): Client {
  const session = new SessionKeeper();
  if (options.session) session.use(options.session);
  const connection: Connection = {
    base: options.baseUrl.replace(/\/+$/, ''),
    send: options.fetch ?? ((...args) => fetch(...args)),
    origin: options.origin,
    session,
    apiKey: options.apiKey,
    merchant: options.merchant,
    confirm: options.confirm,
    retry: options.retry,
  };
  const resources = Object.entries(clientMethods).map(([resource, methods]) => [
    resource,
    Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [name, callOf(method, connection)]),
    ),
  ]);
  const calls = Object.fromEntries(resources);
  const useSession: Client['useSession'] = (token) => session.use(token);
  // The object has the same keys and methods as the type: both come from the registry.
  return {
    ...calls,
    pages,
    eventPages: eventPagesOf(calls.events.list),
    download: downloadOf(connection),
    stream: (streamOptions?: StreamOptions) => openStream(connection, streamOptions),
    useSession,
  } as Client;
}

/** State that all calls of one client share. */
interface Connection {
  readonly base: string;
  readonly send: typeof fetch;
  readonly origin: string | undefined;
  readonly session: SessionKeeper;
  readonly apiKey: string | undefined;
  readonly merchant: string | undefined;
  readonly confirm: Confirm | undefined;
  readonly retry: RetryOptions | undefined;
}

type Input = Readonly<Record<string, unknown>>;

function callOf(method: ClientMethod, connection: Connection) {
  const send = senderOf(method, connection);
  const { confirm } = connection;
  const { nonce, confirm: confirmed } = clientMethods.auth ?? {};
  if (confirm === undefined || method.isConfirmable !== true || !nonce || !confirmed) return send;
  const calls = { nonce: senderOf(nonce, connection), confirm: senderOf(confirmed, connection) };
  return async (input: Input = {}, options: CallOptions = {}) => {
    try {
      return await send(input, options);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'CONFIRMATION_REQUIRED') throw error;
      const confirmationToken = await freshConfirmation(
        calls,
        async (challenge) => await confirm(challenge, { method: method.name, input }),
        options,
      );
      return await send({ ...input, confirmationToken }, options);
    }
  };
}

function senderOf(method: ClientMethod, connection: Connection) {
  const { base, send, session, retry } = connection;
  const signedIn = method.access === 'session' || method.readsSession === true;
  const isWrite = method.method !== 'GET';
  return async (input: Input = {}, options: CallOptions = {}) => {
    const { path, method: verb, headers, body } = toRequest(method, input);
    const init: RequestInit = {
      method: verb,
      headers: {
        ...headers,
        ...(options.idempotencyKey && method.isNamable
          ? { 'idempotency-key': options.idempotencyKey }
          : {}),
        ...credentialsOf(connection, { signedIn, isWrite }),
      },
      credentials: credentialsMode(connection, signedIn && needsSession(method, input, session)),
      ...(body === undefined ? {} : { body }),
      ...(options.signal ? { signal: options.signal } : {}),
    };
    const attempt = async () => {
      const response = await answerOf(method.name, base, send(`${base}${path}`, init));
      // An error also says what has become of a write.
      if (signedIn) session.learnCookies(response.headers);
      return await readResponse(response);
    };
    const reply = await (isWrite ? attempt() : withRetries(attempt, retry, options.signal));
    if (signedIn) session.learnToken(reply.data);
    if (method.name === 'auth.signOut') session.use(null);
    return reply;
  };
}

/**
 * True if a call needs the session. Browsers let a page of another site read a public response only if no cookie was sent
 * with the request (docs/reference/api.md#from-other-sites), so it is sent only if the response can depend on it.
 */
function needsSession(
  { access, name }: ClientMethod,
  input: Input,
  session: SessionKeeper,
): boolean {
  if (access === 'session' || name.startsWith('auth.')) return true;
  return session.isKnown || input.excludeJoined === true;
}

/**
 * Mode of the cookies that a browser sends. The response of a public read is the same for every account, but must
 * contain what this client has written (docs/operate/replicas.md): cookies are sent to the own origin alone.
 */
function credentialsMode({ apiKey }: Connection, signedIn: boolean) {
  if (apiKey !== undefined) return 'omit';
  return signedIn ? 'include' : 'same-origin';
}

/** Headers that say who calls: those of the session, or the API key, and the merchant for which it acts. */
function credentialsOf(
  { apiKey, merchant, origin, session }: Connection,
  { signedIn, isWrite }: { readonly signedIn: boolean; readonly isWrite: boolean },
): Record<string, string> {
  const named: Record<string, string> = signedIn && merchant ? { 'x-merchant': merchant } : {};
  if (apiKey !== undefined) return { ...named, authorization: `Bearer ${apiKey}` };
  return {
    ...named,
    ...(isWrite && origin !== undefined ? { origin } : {}),
    ...session.headers(signedIn && isWrite),
  };
}

function downloadOf(connection: Connection): Client['download'] {
  const { base, send } = connection;
  return async (url, options = {}) => {
    const { pathname, search } = new URL(url, base);
    const init: RequestInit = {
      headers: credentialsOf(connection, { signedIn: true, isWrite: false }),
      credentials: connection.apiKey === undefined ? 'include' : 'omit',
      ...(options.signal ? { signal: options.signal } : {}),
    };
    const response = await answerOf(
      'The download',
      base,
      send(`${base}${pathname}${search}`, init),
    );
    // Reading an error response throws it.
    if (!response.ok) await readResponse(response);
    return response;
  };
}

async function answerOf(what: string, base: string, sent: Promise<Response>): Promise<Response> {
  try {
    return await sent;
  } catch (cause) {
    throw new ApiError(`${what} got no answer from ${base}.`, {
      code: 'NETWORK',
      status: 0,
      cause,
    });
  }
}

async function* pages<I extends PageInput, T>(
  call: (input: I) => Promise<ClientReply<Page<T>>>,
  input: NoInfer<NonNullable<I>>,
): AsyncGenerator<T> {
  let cursor: string | null | undefined;
  do {
    const { data } = await call(cursor ? { ...input, cursor } : input);
    yield* data.items;
    cursor = data.nextCursor;
  } while (cursor !== null);
}

function eventPagesOf(list: EventsCall): Client['eventPages'] {
  return async function* eventPages(input = {}, options = {}) {
    let next = input;
    for (;;) {
      const { data } = await list(next, options);
      yield data;
      if (!data.more) return;
      next = { ...input, after: data.after };
    }
  };
}
