import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { acceptsIdempotencyKey, type Method, pathsOf, widensRights } from '../contract/define.ts';
import type { ResponseMeta } from '../contract/envelope.ts';
import { methods, type ServedMethod, servedMethods } from '../contract/registry.ts';
import type { Address } from '../core/events.ts';
import { beginChange } from '../db/commerce/audit-log.ts';
import { markStored } from '../db/commerce/idempotency.ts';
import type { WriteHooks } from '../db/write-deadline.ts';
import { requireConfirmation } from './auth/confirmation.ts';
import { admit, type Caller } from './auth/guard.ts';
import type { ResponseCache } from './cache/response-cache.ts';
import { StoredText } from './cache/stored-text.ts';
import { cacheHeaders, namesTag } from './cache/validators.ts';
import type { AppEnv } from './context.ts';
import type { AppDeps } from './deps.ts';
import { HttpError, methodNotAllowed } from './errors.ts';
import type { MethodResult } from './handler-types.ts';
import { handlers } from './handlers.ts';
import { idempotencyKey, nameRequest, runOnce } from './idempotency.ts';
import { readInput } from './input/read-input.ts';
import { ConnectionLimit } from './limits/connection-limit.ts';
import { depsUntil } from './limits/deadline.ts';
import { LongReads } from './limits/long-reads.ts';
import { inMountOrder, isForEverybody, isReplicaRead } from './public-reads.ts';
import { answerMeta } from './render/answer-meta.ts';
import type { Answered, Replicas } from './replicas/replicas.ts';
import { markWriting, markWritten, type Seen, seenBy } from './replicas/written-cookie.ts';
import { appendHeader, applyHeaders, headersOf } from './response-headers.ts';
import { limitBody, MAX_BODY_BYTES } from './security.ts';

/** Concurrent uploads: each holds up to 10 MiB in memory, twice while it is inspected. */
const MAX_UPLOADS = { readers: 12, perAddress: 3 } as const;

/** Mounts every method of the registry, and answers 405 to other HTTP methods of their paths. */
export function mountRoutes(
  app: Hono<AppEnv>,
  deps: AppDeps,
  cache: ResponseCache | undefined,
): void {
  const uploads = new ConnectionLimit(MAX_UPLOADS, 'uploads');
  const longReads = deps.longReadPool && new LongReads(deps.longReadPool);
  const ordered = inMountOrder(servedMethods(deps.enabled));
  for (const { method, path } of ordered) {
    const respond = responderOf(method, { deps, cache, uploads, longReads });
    app.on(method.method, path, (c) => {
      c.set('methodName', method.name);
      headersOf(c)['cache-control'] = 'no-store';
      return respond(c);
    });
  }
  for (const path of new Set(ordered.map(({ path }) => path))) {
    app.all(path, () => {
      throw methodNotAllowed(verbsOf(path));
    });
  }
}

type Responder = (c: Context<AppEnv>) => Promise<Response>;

/** Dependencies that all methods share. */
interface Shared {
  readonly deps: AppDeps;
  readonly cache: ResponseCache | undefined;
  readonly uploads: ConnectionLimit;
  readonly longReads: LongReads | undefined;
}

function responderOf(method: ServedMethod, { deps, cache, uploads, longReads }: Shared): Responder {
  const { name, serving = {} } = method;
  if (method.availability === 'designed') {
    const isOptional = methods.some((one) => one.name === name && one.availability === 'optional');
    const why = isOptional
      ? 'is not enabled in this service'
      : 'is designed, but not available yet';
    return async () => {
      throw new HttpError('METHOD_UNAVAILABLE', `${name} ${why}.`);
    };
  }
  const onPool = handlerOf(method);
  const isLong = serving.long === true;
  const handler = isLong && longReads !== undefined ? longHandler(onPool, longReads) : onPool;
  const { replicas } = deps;
  const read: Read =
    replicas !== undefined && isReplicaRead(method)
      ? replicaRead(replicas, { handler, onPool, isLong })
      : async (_seen, ...args) => await handler(...args);
  const mounted = { method, uploads, handler, read };
  if (serving.constant) return constantResponder(mounted, deps);
  return cache !== undefined && serving.cached
    ? cachedResponder(mounted, deps, cache)
    : uncachedResponder(mounted, deps);
}

/** The handler on the connections for long reads. */
function longHandler(handler: AnyHandler, longReads: LongReads): AnyHandler {
  return async (input, deps, caller) =>
    await longReads.run((pool) => handler(input, { ...deps, pool }, caller));
}

/** Makes a read, on the primary or on a replica that has what the client has seen. */
type Read = (
  seen: Seen,
  ...args: Parameters<AnyHandler>
) => Promise<Answered<MethodResult<unknown>>>;

/** The handler on whichever connections the replicas choose. It does not notice. */
function replicaRead(
  replicas: Replicas,
  { handler, onPool, isLong }: Record<'handler' | 'onPool', AnyHandler> & { isLong: boolean },
): Read {
  return async (seen, input, deps, caller) => {
    // An outdated ranking is computed again on the primary.
    const rankingPool = deps.rankingPool ?? deps.pool;
    return await replicas.read(seen, {
      onPrimary: () => handler(input, deps, caller),
      onReplica: ({ pool, longReads }) =>
        isLong
          ? longHandler(onPool, longReads)(input, { ...deps, rankingPool }, caller)
          : onPool(input, { ...deps, pool, rankingPool }, caller),
    });
  };
}

/** Steps of a write in each of its transactions: that of a team's member names its actor. */
function hooksOf({ name }: Method, { enabled, clock }: AppDeps, caller: Caller): WriteHooks {
  const { merchant, role, account, key } = caller;
  if (merchant === undefined || role === undefined || !enabled.has('team')) return {};
  const actor = key === undefined ? `${account}` : `${account} key:${key.id}`;
  const change = { merchant, role, actor, action: name, at: clock() };
  return { afterBegin: (sql) => beginChange(sql, change) };
}

/** A live method with its handler. */
interface Mounted {
  readonly method: Method;
  readonly handler: AnyHandler;
  /** The handler, for methods that only read. */
  readonly read: Read;
  readonly uploads: ConnectionLimit;
}

function uncachedResponder(mounted: Mounted, deps: AppDeps): Responder {
  const { method, uploads } = mounted;
  const { replicas } = deps;
  const isNamable = acceptsIdempotencyKey(method);
  return async (c) => {
    const caller = await admit(c, method, deps);
    // The body of a GET is not read: looking for one would make the server build a whole `Request`.
    if (isPlainRead(method)) {
      return await answerRead(c, mounted, deps, caller);
    }
    if (replicas !== undefined) markWriting(c);
    const key = isNamable ? idempotencyKey(c.req.header('idempotency-key')) : undefined;
    const { account } = caller;
    const write = async () =>
      key === undefined || account === undefined
        ? await answerWrite(c, mounted, deps, caller)
        : await answerOnce(c, mounted, deps, { caller, account, key });
    if (!method.input.multipart) {
      if (method.method !== 'GET') await limitBody(c, MAX_BODY_BYTES);
      return await write();
    }
    // Taken before the first byte of the file is read, because the file is in memory from then on.
    const release = uploads.take(account ?? caller.ip);
    try {
      return await write();
    } finally {
      release();
    }
  };
}

async function answerRead(
  c: Context<AppEnv>,
  { method, read }: Mounted,
  deps: AppDeps,
  caller: Caller,
): Promise<Response> {
  const result = await read(seenBy(c), await readInput(c, method), deps, caller);
  if (result.setCookie !== undefined) headersOf(c)['set-cookie'] = result.setCookie;
  return respond(c, method, caller, JSON.stringify(result.data), answerMeta(result));
}

async function answerWrite(
  c: Context<AppEnv>,
  { method, handler }: Mounted,
  deps: AppDeps,
  caller: Caller,
): Promise<Response> {
  const own = depsUntil(deps, c.get('deadline'), hooksOf(method, deps, caller));
  const result = await handler(await readInput(c, method), own, caller);
  await noteWritten(c, deps);
  if (result.setCookie !== undefined) c.header('set-cookie', result.setCookie, { append: true });
  return respond(c, method, caller, JSON.stringify(result.data), answerMeta(result));
}

/** A write that its client named by a key. */
interface NamedWrite {
  readonly caller: Caller;
  readonly account: Address;
  readonly key: string;
}

/** Runs a write that its client named, unless it ran before. */
async function answerOnce(
  c: Context<AppEnv>,
  { method, handler }: Mounted,
  deps: AppDeps,
  { caller, account, key }: NamedWrite,
): Promise<Response> {
  const input = await readInput(c, method);
  const request = await nameRequest(account, key, { method, input, caller });
  const own = depsUntil(deps, c.get('deadline'), {
    ...hooksOf(method, deps, caller),
    beforeCommit: (sql) => markStored(sql, request),
  });
  const { data, meta, isReplayed } = await runOnce(deps, request, async () => {
    const result = await handler(input, own, caller);
    return { data: JSON.stringify(result.data), meta: answerMeta(result) };
  });
  await noteWritten(c, deps);
  if (isReplayed) c.header('idempotency-replayed', 'true');
  return respond(c, method, caller, data, meta);
}

/** Lets the next reads of this client see the write, also on a replica. */
async function noteWritten(c: Context<AppEnv>, { replicas }: AppDeps): Promise<void> {
  if (replicas !== undefined) markWritten(c, await replicas.written());
}

/** Authenticates every request; computes the result for the first one. */
function constantResponder({ method, handler }: Mounted, deps: AppDeps): Responder {
  let stored: StoredText | undefined;
  return async (c) => {
    const caller = await admit(c, method, deps);
    const input = await readInput(c, method);
    if (stored === undefined) {
      const data = JSON.stringify((await handler(input, deps, caller)).data);
      stored = new StoredText(`{"data":${data},"meta":`, data);
    }
    applyHeaders(c);
    return stored.respond(c, `${JSON.stringify({ requestId: c.get('requestId') })}}`);
  };
}

/** Authenticates every request; computes the response only if the database changed since it was cached. */
function cachedResponder(mounted: Mounted, deps: AppDeps, cache: ResponseCache): Responder {
  const { method, read } = mounted;
  const uncached = uncachedResponder(mounted, deps);
  return async (c) => {
    // The time of a past block comes from the chain, which no snapshot of the database covers.
    if (c.req.query('atBlock') !== undefined) return await uncached(c);
    const caller = await admit(c, method, deps);
    const actsFor = caller.merchant ?? caller.account ?? '';
    const key = `${method.name} ${actsFor} ${pathAndQuery(c.req.url)}`;
    // `Handler` gives cacheable methods only what the key or the database determines.
    const seen = seenBy(c);
    const compute = async () => await read(seen, await readInput(c, method), deps, caller);
    const { data, meta } = await cache.response(key, compute, seen);
    return respond(c, method, caller, data, meta);
  };
}

/**
 * Sends a result; of a public read that the client already has, only that it is still the same (304).
 * @param data JSON text of the response's `data`.
 */
function respond(
  c: Context<AppEnv>,
  method: Method,
  { account }: Caller,
  data: string,
  meta: Omit<ResponseMeta, 'requestId'>,
): Response {
  const requestId = c.get('requestId');
  const headers = headersOf(c);
  // What an account gets is for one person, and is not stored.
  if (method.method === 'GET' && isForEverybody(method) && account === undefined) {
    const caching = cacheHeaders(data, meta, c.req.query('atBlock') !== undefined);
    Object.assign(headers, caching);
    if (method.readsSession) appendHeader(c, 'vary', 'cookie');
    if (namesTag(c.req.header('if-none-match'), caching.etag)) {
      applyHeaders(c);
      return c.body(null, 304);
    }
  }
  headers['content-type'] = 'application/json';
  const whole: ResponseMeta = { requestId, ...meta };
  const text = `{"data":${data},"meta":${JSON.stringify(whole)}}`;
  if (isPlainRead(method)) {
    return new Response(text, { headers: { ...headers, 'x-request-id': requestId } });
  }
  // Cookies of writes are among Hono's headers.
  applyHeaders(c);
  return c.body(text);
}

/** True for a GET that stores nothing. */
function isPlainRead({ method, serving }: Method): boolean {
  return method === 'GET' && !serving?.writes;
}

function pathAndQuery(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}

/** The field of a decoded input that confirms it. */
const Confirmable = z.object({ confirmationToken: z.string().optional() });

type AnyHandler = (input: unknown, deps: AppDeps, caller: Caller) => Promise<MethodResult<unknown>>;

function handlerOf(method: Method): AnyHandler {
  const { name } = method;
  const [resource = '', key = ''] = name.split('.');
  // `readInput` decodes the input of that method, and `admit` finds the session that its access requires.
  const table = handlers as Readonly<Record<string, object | undefined>>;
  const handler: AnyHandler | undefined = Reflect.get(table[resource] ?? {}, key);
  if (handler === undefined) {
    throw new Error(`${name} is live and has no handler, which the types should prevent.`);
  }
  if (method.rights === undefined || method.rights === 'narrows') return handler;
  return async (input, deps, caller) => {
    if (widensRights(method, input)) {
      const { confirmationToken } = Confirmable.parse(input);
      await requireConfirmation(deps, caller.session, confirmationToken);
    }
    return await handler(input, deps, caller);
  };
}

function verbsOf(path: string): string[] {
  const verbs = methods
    .filter((method) => pathsOf(method).includes(path))
    .map(({ method }) => method);
  return verbs.includes('GET') ? [...new Set([...verbs, 'HEAD'])] : [...new Set(verbs)];
}
