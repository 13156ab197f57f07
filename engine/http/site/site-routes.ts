import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { AppEnv } from '../context.ts';
import { HSTS } from '../hsts.ts';

/** Addresses of pages: each is the same file, and the router in it shows the right one. */
const PAGES = [
  '/',
  '/receipts/:chainId/:saleId',
  '/campaigns/:campaignId',
  '/distributors/:address',
  '/merchants/:slug',
  '/status',
  '/me',
  '/bundle',
] as const;

/** Files whose names stay while what is in them changes. */
const LASTING = ['/theme.js', '/favicon.svg'] as const;

/** Has its hash in its name: what is under it never changes. */
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * Pages and files of the site. They ask no database; nothing else of the folder is served, and no
 * address leads out of it.
 * @param folder with the `index.html` of the site, as `npm run build` left it.
 */
export function siteRoutes(folder: string): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  for (const path of PAGES) app.get(path, (c) => sitePage(c, folder, 200));
  app.get('/assets/*', filesOf(folder, FOREVER));
  for (const path of LASTING) app.get(path, filesOf(folder, 'no-cache'));
  return app;
}

/** The file of that path, or its compressed copy. A site may also be built while the API runs. */
function filesOf(folder: string, cacheControl: string): MiddlewareHandler<AppEnv> {
  let files: MiddlewareHandler<AppEnv> | undefined;
  return async (c, next) => {
    if (!existsSync(folder)) return await next();
    files ??= serveStatic<AppEnv>({ root: folder, precompressed: true });
    const found = await files(c, next);
    if (found instanceof Response) {
      c.set('isPage', true);
      found.headers.set('cache-control', cacheControl);
    }
    return found;
  };
}

/** The file that all pages are, or how to make it where it was not built. */
export async function sitePage(
  c: Context<AppEnv>,
  folder: string,
  status: 200 | 404,
): Promise<Response> {
  c.set('isPage', true);
  c.header('cache-control', 'no-cache');
  const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined);
  return page === undefined ? c.html(NOT_BUILT, status === 404 ? 404 : 503) : c.html(page, status);
}

/** Whether a person looks for a page, in a browser: a program gets JSON. */
export function wantsPage(c: Context<AppEnv>): boolean {
  const reads = c.req.method === 'GET' || c.req.method === 'HEAD';
  const html = c.req.header('accept')?.includes('text/html') === true;
  return reads && html && !c.req.path.startsWith('/v1/');
}

/**
 * The headers of pages, where an answer is one: code, styles and images of our own alone, no frame
 * around it; asked may be any RPC, for that is the reader's choice.
 * @param publicUrl origin that the service is reached at: uploaded images come from there.
 */
export function siteHeaders(publicUrl: string): MiddlewareHandler<AppEnv> {
  const self = ["'self'"];
  const set = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: self,
      workerSrc: self,
      styleSrc: self,
      imgSrc: [...self, publicUrl],
      connectSrc: [...self, 'http:', 'https:'],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
    crossOriginResourcePolicy: 'same-origin',
    strictTransportSecurity: HSTS,
    referrerPolicy: 'no-referrer',
    xFrameOptions: 'DENY',
  });
  return async (c, next) => {
    await next();
    if (c.get('isPage') === true) await set(c, async () => {});
  };
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Tributary</title></head>
<body>
<h1>Tributary</h1>
<p>The API runs. Its site was not built: <code>npm run build</code> makes it, in a few seconds.</p>
<p>Meanwhile: <a href="/docs">the HTTP reference</a>, <a href="/v1/system/status">the status</a>.</p>
</body>
</html>
`;
