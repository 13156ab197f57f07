import { isCallable, type Method } from '../contract/define.ts';
import type { Meta } from '../contract/envelope.ts';
import { registry } from '../contract/registry.ts';
import type { CallableName, InputOf, MethodOf, OutputOf, Registry } from '../contract/types.ts';
import { type Confirm, freshConfirmation, takesConfirmation } from './confirmation.ts';
import { ApiError } from './error.ts';
import { toRequest } from './request.ts';
import { readResponse } from './response.ts';
import { type ClientSession, SessionKeeper } from './session.ts';
import { openStream, type StreamOptions, type StreamUpdate } from './stream.ts';

export interface ClientOptions {
  /** Of the service, without /v1. */
  readonly baseUrl: string;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
  /**
   * The `Origin` that writes come from, where no browser says it: it must be one that the service
   * allows. A browser sends its own, whatever is written here.
   */
  readonly origin?: string;
  /** Who is signed in, where that is known already. */
  readonly session?: ClientSession;
  /**
   * Asks the wallet for a fresh signature, where a sensitive write needs one (CONFIRMATION_REQUIRED):
   * an EIP-4361 message with that nonce, as for sign-in. The write is then sent again, once. Without
   * it the error is the caller's.
   */
  readonly confirm?: Confirm;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** What a call answers: the method's data, and as of which block where the ledger was read. */
export interface Reply<T> {
  readonly data: T;
  readonly meta: Meta;
}

/** A method of the client. What it needs not, it may be called without. */
export type Call<I, O> =
  Record<never, never> extends I
    ? (input?: I, options?: CallOptions) => Promise<Reply<O>>
    : (input: I, options?: CallOptions) => Promise<Reply<O>>;

type CallOf<M extends Method> = Call<InputOf<M>, OutputOf<M>>;

type ResourceCalls<R extends keyof Registry> = {
  readonly [K in keyof Registry[R] as Registry[R][K] extends { name: CallableName }
    ? K
    : never]: Registry[R][K] extends { name: infer N extends CallableName }
    ? CallOf<MethodOf<N>>
    : never;
};

type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };
type PageInput = { cursor?: string | undefined } | undefined;

/** A typed client of every method that has its schemas, by resource. */
export type Client = {
  readonly [R in keyof Registry as keyof ResourceCalls<R> extends never
    ? never
    : R]: ResourceCalls<R>;
} & {
  /** All items of a collection, page after page: `for await (const sale of client.pages(…))`. */
  readonly pages: <I extends PageInput, T>(
    call: (input: I) => Promise<Reply<Page<T>>>,
    input: NoInfer<NonNullable<I>>,
  ) => AsyncGenerator<T>;
  /**
   * Fetches a file that a method gave a link to, as who is signed in: reports are their owner's. It
   * is asked of `baseUrl`, whatever host the link names, so that the session goes nowhere else.
   */
  readonly download: (url: string, options?: CallOptions) => Promise<Response>;
  /**
   * Settled changes as they come: `for await (const message of client.stream({ signal }))`. It
   * reconnects and resumes by itself, until the signal aborts or the loop is left.
   */
  readonly stream: (options?: StreamOptions) => AsyncGenerator<StreamUpdate>;
  /**
   * Sets who is signed in; `null` forgets it. `auth.signIn` and `auth.session` do it by themselves.
   */
  readonly useSession: (session: ClientSession | null) => void;
};

/**
 * Makes a client from the registry. It opens nothing until a method is called, and runs in Node and
 * in browsers.
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
    confirm: options.confirm,
  };
  const resources = Object.entries(registry).map(([resource, methods]) => [
    resource,
    Object.fromEntries(
      Object.entries<Method>(methods)
        .filter(([, method]) => isCallable(method))
        .map(([name, method]) => [name, callOf(method, connection)]),
    ),
  ]);
  const useSession: Client['useSession'] = (given) => session.use(given);
  // Built from the registry by the same keys and methods as the type.
  return {
    ...Object.fromEntries(resources),
    pages,
    download: downloadOf(connection),
    stream: (given?: StreamOptions) => openStream(connection, given),
    useSession,
  } as Client;
}

/** What all calls of one client share. */
interface Connection {
  readonly base: string;
  readonly send: typeof fetch;
  readonly origin: string | undefined;
  readonly session: SessionKeeper;
  readonly confirm: Confirm | undefined;
}

type Input = Readonly<Record<string, unknown>>;

function callOf(method: Method, connection: Connection) {
  const send = senderOf(method, connection);
  const { confirm } = connection;
  const confirmable = method.input?.body !== undefined && takesConfirmation(method.input.body);
  if (confirm === undefined || !confirmable) return send;
  const calls = {
    nonce: senderOf(registry.auth.nonce, connection),
    confirm: senderOf(registry.auth.confirm, connection),
  };
  return async (input: Input = {}, options: CallOptions = {}) => {
    try {
      return await send(input, options);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'CONFIRMATION_REQUIRED') throw error;
      const confirmationToken = await freshConfirmation(calls, confirm, options);
      return await send({ ...input, confirmationToken }, options);
    }
  };
}

function senderOf(method: Method, { base, send, origin, session }: Connection) {
  const signedIn = method.access === 'session' || method.readsSession === true;
  const isWrite = method.method !== 'GET';
  return async (input: Input = {}, options: CallOptions = {}) => {
    const { path, method: verb, headers, body } = toRequest(method, input);
    const init: RequestInit = {
      method: verb,
      headers: {
        ...headers,
        ...(isWrite && origin !== undefined ? { origin } : {}),
        ...(signedIn ? session.headers(isWrite) : {}),
      },
      // A public read takes no cookie along: it answers everybody the same.
      credentials: signedIn ? 'include' : 'omit',
      ...(body === undefined ? {} : { body }),
      ...(options.signal ? { signal: options.signal } : {}),
    };
    const response = await answerOf(method.name, base, send(`${base}${path}`, init));
    const reply = await readResponse(response);
    if (signedIn) session.learn(response.headers, reply.data);
    if (method.name === 'auth.signOut') session.use(null);
    return reply;
  };
}

function downloadOf({ base, send, session }: Connection): Client['download'] {
  return async (url, options = {}) => {
    const { pathname, search } = new URL(url, base);
    const init: RequestInit = {
      headers: session.headers(false),
      credentials: 'include',
      ...(options.signal ? { signal: options.signal } : {}),
    };
    const response = await answerOf(
      'The download',
      base,
      send(`${base}${pathname}${search}`, init),
    );
    // Reading an error as an answer throws it.
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
  call: (input: I) => Promise<Reply<Page<T>>>,
  input: NoInfer<NonNullable<I>>,
): AsyncGenerator<T> {
  let cursor: string | null | undefined;
  do {
    const { data } = await call(cursor ? { ...input, cursor } : input);
    yield* data.items;
    cursor = data.nextCursor;
  } while (cursor !== null);
}
