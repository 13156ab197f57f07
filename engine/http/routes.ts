import type { Context, Hono } from 'hono';
import { isCallable, type Method, pathsOf } from '../contract/define.ts';
import type { Meta } from '../contract/envelope.ts';
import { methods } from '../contract/registry.ts';
import { admit, type Caller } from './auth/guard.ts';
import type { AppEnv } from './context.ts';
import type { AppDeps } from './deps.ts';
import { MethodNotAllowedError, MethodUnavailableError } from './errors.ts';
import type { Answer } from './handler.ts';
import { handlers } from './handlers.ts';
import { FORM_BYTES_MOST, readInput } from './read-input.ts';
import { tokenMeta } from './render/token-meta.ts';
import { BODY_BYTES_MOST, limitBody } from './security.ts';

/** Mounts every method of the registry, and 405 for the other verbs of their paths. */
export function mountRoutes(app: Hono<AppEnv>, deps: AppDeps): void {
  const ordered = methods
    .flatMap((method) => pathsOf(method).map((path) => ({ method, path })))
    .sort((a, b) => placeholders(a.path) - placeholders(b.path));
  for (const { method, path } of ordered) {
    const answer = answerer(method);
    app.on(method.method, path, async (c) => {
      c.set('methodName', method.name);
      const { data, chain, tokens, setCookie } = await answer(c, deps);
      if (setCookie !== undefined) c.header('set-cookie', setCookie);
      if (isPrivate(method)) c.header('cache-control', 'no-store');
      const requestId = c.get('requestId');
      const meta: Meta = { requestId, ...(chain && { chain }), ...(tokens && tokenMeta(tokens)) };
      return c.json({ data, meta });
    });
  }
  for (const path of new Set(ordered.map(({ path }) => path))) {
    app.all(path, () => {
      throw new MethodNotAllowedError(verbsOf(path));
    });
  }
}

type Answerer = (c: Context<AppEnv>, deps: AppDeps) => Promise<Answer<unknown>>;

function answerer(method: Method): Answerer {
  if (method.availability === 'designed') {
    return async () => {
      throw new MethodUnavailableError(`${method.name} is designed, and not available.`);
    };
  }
  const handler = handlerOf(method.name);
  if (handler === undefined || !isCallable(method)) {
    throw new Error(`${method.name} is live and has no handler: the types do not let that be.`);
  }
  return async (c, deps) => {
    const caller = await admit(c, method, deps);
    // No body of a GET is read; and to look for one would make the server build a whole `Request`.
    if (method.method !== 'GET') {
      await limitBody(c, method.input.multipart ? FORM_BYTES_MOST : BODY_BYTES_MOST);
    }
    return handler(await readInput(c, method), deps, caller);
  };
}

/** Answers that no cache may keep: what one person sees, and what opens a session. */
function isPrivate({ access, readsSession, name }: Method): boolean {
  return access === 'session' || readsSession === true || name.startsWith('auth.');
}

type AnyHandler = (input: unknown, deps: AppDeps, caller: Caller) => Promise<Answer<unknown>>;

function handlerOf(name: string): AnyHandler | undefined {
  if (!Object.hasOwn(handlers, name)) return undefined;
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
