import type { Context } from 'hono';
import { type CacheHeaders, cacheHeaders, namesTag } from '../cache/validators.ts';
import type { JsonObject } from './schema.ts';

/** Serves a document, with headers for caches. It is made at the first request, and stays the same while the process runs. */
export function serveDocument(make: () => JsonObject): (c: Context) => Response {
  let served: { readonly text: string; readonly caching: CacheHeaders } | undefined;
  return (c) => {
    if (served === undefined) {
      const text = JSON.stringify(make());
      served = { text, caching: cacheHeaders(text, {}, false) };
    }
    const { text, caching } = served;
    for (const [name, value] of Object.entries(caching)) c.header(name, value);
    if (namesTag(c.req.header('if-none-match'), caching.etag)) return c.body(null, 304);
    return c.body(text, 200, { 'content-type': 'application/json' });
  };
}
