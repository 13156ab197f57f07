import type { Context, Hono } from 'hono';
import { isCallable, type Method } from '../contract/define.ts';
import { methods } from '../contract/registry.ts';
import type { AppEnv } from './context.ts';
import { decodeInput } from './decode.ts';
import type { AppDeps } from './deps.ts';
import {
  MethodNotAllowedError,
  MethodUnavailableError,
  UnsupportedMediaTypeError,
  ValidationError,
} from './errors.ts';
import type { Answer } from './handler.ts';
import { handlers } from './handlers.ts';

/** Mounts every method of the registry, and 405 for the other verbs of their paths. */
export function mountRoutes(app: Hono<AppEnv>, deps: AppDeps): void {
  const ordered = [...methods].sort((a, b) => placeholders(a.path) - placeholders(b.path));
  for (const method of ordered) {
    const answer = answerer(method);
    app.on(method.method, method.path, async (c) => {
      const { data, chain } = await answer(c, deps);
      return c.json({ data, meta: { requestId: c.get('requestId'), ...(chain && { chain }) } });
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
    return async () => {
      throw new MethodUnavailableError(`${method.name} is not built yet.`);
    };
  }
  return async (c, deps) => handler(await readInput(c, method), deps);
}

type AnyHandler = (input: unknown, deps: AppDeps) => Promise<Answer<unknown>>;

function handlerOf(name: string): AnyHandler | undefined {
  if (!Object.hasOwn(handlers, name)) return undefined;
  // The table has the handler of that very name, and `decodeInput` reads that method's input.
  return handlers[name as keyof typeof handlers] as AnyHandler;
}

async function readInput(c: Context<AppEnv>, method: Method): Promise<unknown> {
  return decodeInput(method, {
    params: c.req.param(),
    query: new URL(c.req.url).searchParams,
    ...(method.input?.body ? { body: await readJson(c) } : {}),
  });
}

async function readJson(c: Context<AppEnv>): Promise<unknown> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new UnsupportedMediaTypeError('The body must be application/json.');
  }
  const text = await c.req.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new ValidationError([{ path: '', message: 'the body is not JSON' }]);
  }
}

/** A fixed word of a path goes before a placeholder in its place. */
function placeholders(path: string): number {
  return path.split('/:').length;
}

function verbsOf(path: string): string[] {
  const verbs = methods.filter((method) => method.path === path).map(({ method }) => method);
  return verbs.includes('GET') ? [...new Set([...verbs, 'HEAD'])] : [...new Set(verbs)];
}
