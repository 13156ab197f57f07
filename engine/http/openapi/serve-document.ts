import type { Context } from 'hono';
import { StoredText } from '../cache/stored-text.ts';
import type { JsonObject } from './schema.ts';

/** Serves a document, compressed and with headers for caches. It is made at the first request, and stays the same while the process runs. */
export function serveDocument(make: () => JsonObject): (c: Context) => Response {
  let stored: StoredText | undefined;
  return (c) => {
    stored ??= new StoredText(JSON.stringify(make()));
    return stored.respond(c);
  };
}
