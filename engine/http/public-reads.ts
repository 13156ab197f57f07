import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import { TrieRouter } from 'hono/router/trie-router';
import { type Method, pathsOf } from '../contract/define.ts';
import { methods } from '../contract/registry.ts';
import { streamMethod } from '../contract/stream.ts';

/**
 * True for the path of a `GET` that anybody may call without a session. Its response is the same for
 * every page of every site, so that browsers may let any of them read it.
 */
export function isPublicRead(path: string): boolean {
  // The router returns handlers in the order of registration: that of `inMountOrder`.
  const [[[isPublic] = [false]] = []] = router.match('GET', path);
  return isPublic;
}

/**
 * `isPublicRead` of a request whose route is found already: to find it again takes longer than all other headers.
 * @returns `undefined` if no method has its route, or another HTTP method is asked for.
 */
export function isPublicRoute(c: Context): boolean | undefined {
  const route = matchedRoutes(c).find(({ method, path }) => method === 'GET' && ofPath.has(path));
  return route && ofPath.get(route.path);
}

/** Whether the read of each path is public; the first in the order of `inMountOrder` has the path. */
const ofPath = new Map<string, boolean>();
const router = new TrieRouter<boolean>();
for (const { method, path } of inMountOrder(methods)) {
  if (method.method !== 'GET') continue;
  router.add('GET', path, isForEverybody(method));
  if (!ofPath.has(path)) ofPath.set(path, isForEverybody(method));
}
router.add('GET', streamMethod.path, true);

/** False if the response is for one person, or opens a session. */
export function isForEverybody({ access, name }: Method): boolean {
  return access === 'public' && !name.startsWith('auth.');
}

/** True if a replica may answer a method. */
export function isReplicaRead(method: Method): boolean {
  return method.method === 'GET' && (method.serving?.replica ?? isForEverybody(method));
}

/** Every path of methods with its method; paths with fewer placeholders first, so that fixed words win. */
export function inMountOrder<M extends Method>(all: readonly M[]) {
  return all
    .flatMap((method) => pathsOf(method).map((path) => ({ method, path })))
    .sort((a, b) => placeholders(a.path) - placeholders(b.path));
}

function placeholders(path: string): number {
  return path.split('/:').length;
}
