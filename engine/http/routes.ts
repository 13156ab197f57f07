import type { Context, Hono } from 'hono';
import { isCallable, type Method, pathsOf } from '../contract/define.ts';
import type { Meta } from '../contract/envelope.ts';
import { methods } from '../contract/registry.ts';
import { admit, type Caller } from './auth/guard.ts';
import { ConnectionLimit } from './connection-limit.ts';
import type { AppEnv } from './context.ts';
import { depsUntil } from './deadline.ts';
import type { AppDeps } from './deps.ts';
import { MethodNotAllowedError, MethodUnavailableError } from './errors.ts';
import type { Answer } from './handler.ts';
import { handlers } from './handlers.ts';
import type { KeptAnswers } from './kept/answers.ts';
import { isKept, steadyCallerOf, steadyDepsOf } from './kept/methods.ts';
import { readInput } from './read-input.ts';
import { answerMeta } from './render/answer-meta.ts';
import { BODY_BYTES_MOST, limitBody } from './security.ts';

/** Uploads at the same time: each has up to 10 MiB in memory, twice while it is inspected. */
const UPLOADS_MOST = { readers: 12, perAddress: 3 } as const;

/** Reads that also record what they found on the chain, so that their time limit holds for that. */
const writingReads: ReadonlySet<string> = new Set(['checkout.getIntent']);

/** Mounts every method of the registry, and 405 for the other verbs of their paths. */
export function mountRoutes(app: Hono<AppEnv>, deps: AppDeps, kept: KeptAnswers | undefined): void {
  const uploads = new ConnectionLimit(UPLOADS_MOST, 'uploads');
  const ordered = methods
    .flatMap((method) => pathsOf(method).map((path) => ({ method, path })))
    .sort((a, b) => placeholders(a.path) - placeholders(b.path));
  for (const { method, path } of ordered) {
    const answer =
      kept !== undefined && isKept(method.name)
        ? keptAnswerer(method, deps, kept, uploads)
        : freshAnswerer(method, deps, uploads);
    app.on(method.method, path, (c) => {
      c.set('methodName', method.name);
      if (isPrivate(method)) c.header('cache-control', 'no-store');
      return answer(c);
    });
  }
  for (const path of new Set(ordered.map(({ path }) => path))) {
    app.all(path, () => {
      throw new MethodNotAllowedError(verbsOf(path));
    });
  }
}

type Answerer = (c: Context<AppEnv>) => Promise<Response>;

function freshAnswerer(method: Method, deps: AppDeps, uploads: ConnectionLimit): Answerer {
  if (method.availability === 'designed') {
    return async () => {
      throw new MethodUnavailableError(`${method.name} is designed, and not available.`);
    };
  }
  const handler = handlerOf(method);
  const answer = async (c: Context<AppEnv>, own: AppDeps, caller: Caller) => {
    const answered = await handler(await readInput(c, method), own, caller);
    const { data, setCookie } = answered;
    if (setCookie !== undefined) c.header('set-cookie', setCookie);
    const meta: Meta = { requestId: c.get('requestId'), ...answerMeta(answered) };
    return c.json({ data, meta });
  };
  return async (c) => {
    const caller = await admit(c, method, deps);
    // No body of a GET is read; and to look for one would make the server build a whole `Request`.
    if (method.method === 'GET' && !writingReads.has(method.name)) {
      return await answer(c, deps, caller);
    }
    const own = depsUntil(deps, c.get('deadline'));
    if (!method.input?.multipart) {
      if (method.method !== 'GET') await limitBody(c, BODY_BYTES_MOST);
      return await answer(c, own, caller);
    }
    // Before the first byte of the file is read, for it is in memory from then on.
    const release = uploads.take(caller.session?.address ?? caller.ip);
    try {
      return await answer(c, own, caller);
    } finally {
      release();
    }
  };
}

/** Admits every request, and makes the answer only where the one that was given last is another now. */
function keptAnswerer(
  method: Method,
  deps: AppDeps,
  kept: KeptAnswers,
  uploads: ConnectionLimit,
): Answerer {
  const handler = handlerOf(method);
  const steady = steadyDepsOf(deps);
  const fresh = freshAnswerer(method, deps, uploads);
  return async (c) => {
    // A block of the past has its time from the chain, which no snapshot of the database knows of.
    if (c.req.query('atBlock') !== undefined) return await fresh(c);
    const caller = await admit(c, method, deps);
    const question = `${method.name} ${caller.session?.address ?? ''} ${pathAndQuery(c.req.url)}`;
    const { data, meta } = await kept.answer(question, async () =>
      handler(await readInput(c, method), steady, steadyCallerOf(caller)),
    );
    const whole: Meta = { requestId: c.get('requestId'), ...meta };
    return c.body(`{"data":${data},"meta":${JSON.stringify(whole)}}`, 200, {
      'content-type': 'application/json',
    });
  };
}

function pathAndQuery(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}

/** Answers that no cache may keep: what one person sees, and what opens a session. */
function isPrivate({ access, readsSession, name }: Method): boolean {
  return access === 'session' || readsSession === true || name.startsWith('auth.');
}

type AnyHandler = (input: unknown, deps: AppDeps, caller: Caller) => Promise<Answer<unknown>>;

function handlerOf(method: Method): AnyHandler {
  const { name } = method;
  if (!Object.hasOwn(handlers, name) || !isCallable(method)) {
    throw new Error(`${name} is live and has no handler: the types do not let that be.`);
  }
  // The table has the handler of that very name; `readInput` reads that method's input, and `admit`
  // finds the session that its access asks for.
  return handlers[name as keyof typeof handlers] as AnyHandler;
}

/** A fixed word of a path goes before a placeholder in its place. */
function placeholders(path: string): number {
  return path.split('/:').length;
}

function verbsOf(path: string): string[] {
  const verbs = methods
    .filter((method) => pathsOf(method).includes(path))
    .map(({ method }) => method);
  return verbs.includes('GET') ? [...new Set([...verbs, 'HEAD'])] : [...new Set(verbs)];
}
