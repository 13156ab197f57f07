import type { Context, MiddlewareHandler } from 'hono';
import type { AppEnv } from './context.ts';

/** Headers of a response that is not made yet. */
type ResponseHeaders = NonNullable<AppEnv['Variables']['headers']>;

/**
 * Headers that middleware sets for the response of a request. They are a plain object, which the server writes as it
 * is: a `Headers`, which Hono would make, checks, sorts and copies each of them. Whatever answers such a request
 * takes them from here, or has `applyHeaders` before it.
 */
export function headersOf(c: Context<AppEnv>): ResponseHeaders {
  const known = c.get('headers');
  if (known !== undefined) return known;
  const made: ResponseHeaders = {};
  c.set('headers', made);
  return made;
}

/** Adds a value to a header that is a list. */
export function appendHeader(c: Context<AppEnv>, name: string, value: string): void {
  const headers = headersOf(c);
  const before = headers[name];
  headers[name] = before === undefined ? value : `${before}, ${value}`;
}

/** Sets headers that `applyHeaders`, or the response itself, takes. */
export function setLater(c: Context<AppEnv>, headers: Readonly<ResponseHeaders>): void {
  Object.assign(headersOf(c), headers);
}

/** Gives the headers to the response that Hono makes. */
export function applyHeaders(c: Context<AppEnv>): void {
  for (const [name, value] of Object.entries(headersOf(c))) c.header(name, value);
}

/** Middleware of routes whose responses Hono makes. */
export const applied: MiddlewareHandler<AppEnv> = async (c, next) => {
  applyHeaders(c);
  await next();
};
