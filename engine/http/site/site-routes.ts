import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { secureHeaders } from 'hono/secure-headers';
import { DEMO_META, type DemoTag } from '../../contract/demo.ts';
import { LANGUAGE_COOKIE, languageOf, pageFileOf } from '../../contract/languages.ts';
import {
  PUBLIC_RPC_META,
  pages,
  type SharedPage,
  sharedPages,
  WALLETCONNECT_META,
} from '../../contract/pages.ts';
import type { AppEnv } from '../context.ts';
import type { Demo } from '../demo/demo.ts';
import type { AppDeps } from '../deps.ts';
import { withTimeout } from '../limits/with-timeout.ts';
import { networkAddress } from '../network-address.ts';
import { HSTS } from '../security.ts';
import { shareRoutes } from './share/share-routes.ts';
import { ShareSubjects } from './share/subjects.ts';
import { metaTag, withTags } from './share/tags.ts';

/** Files whose content changes under the same name. */
const LASTING = ['/early.js', '/favicon.svg'] as const;

/** Milliseconds that a page waits for its tags. */
const TAGS_MS = 1_000;

/** `Cache-Control` of files that have their hash in their name, so they never change. */
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * Routes of the site's pages and files, and of share cards. Pages need no database: without one they only lack the
 * tags that say what they are about. Nothing else of the folder or outside of it is served.
 * @param site its folder has the `index.html` that `npm run build` created.
 */
export function siteRoutes(deps: AppDeps, site: SitePage): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const subjects = new ShareSubjects(deps);
  for (const page of sharedPages) {
    app.get(pages[page], (c) => sitePage(c, site, 200, tagsOf(c, deps, subjects, page)));
  }
  for (const path of Object.values(pages)) app.get(path, (c) => sitePage(c, site, 200));
  app.route('/', shareRoutes(deps, subjects));
  app.get('/assets/*', filesOf(site.folder, FOREVER));
  for (const path of LASTING) app.get(path, filesOf(site.folder, 'no-cache'));
  return app;
}

/** Serves the file of a path or its compressed copy. The site may be built while the API runs. */
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

/** Adds the tags of a page to the file of all pages. */
type AddTags = (html: string) => string;

/**
 * Reads what a page is about, for its tags. A page is served without them if the subject cannot be read, or if the
 * caller has sent too many requests.
 */
async function tagsOf(
  c: Context<AppEnv>,
  deps: AppDeps,
  subjects: ShareSubjects,
  page: SharedPage,
): Promise<AddTags | undefined> {
  const ip = networkAddress(c, deps.trustedProxies);
  const found = subjects.get({ page, input: c.req.param(), ip });
  const subject = await withTimeout(found, deps.tagsMs ?? TAGS_MS).catch(
    (error: unknown) => void deps.logger.debug({ err: error }, 'page served without tags'),
  );
  const { path } = c.req;
  return subject && ((html) => withTags(html, subject, { origin: deps.publicUrl, path }));
}

/** Folder of the file of all pages, and the settings that are added to it. */
export interface SitePage {
  readonly folder: string;
  readonly walletConnectProjectId?: string | undefined;
  readonly publicRpcUrl?: string | undefined;
  readonly demo?: (() => Demo | undefined) | undefined;
}

/**
 * Serves the file of all pages in the language that the reader chose, or instructions to build it.
 * @param tags adds what this page is about; by default the file is served as it is.
 */
export async function sitePage(
  c: Context<AppEnv>,
  site: SitePage,
  status: 200 | 404,
  tags?: Promise<AddTags | undefined>,
): Promise<Response> {
  c.set('isPage', true);
  c.header('cache-control', 'no-cache');
  c.header('vary', 'Cookie', { append: true });
  const name = pageFileOf(languageOf(getCookie(c, LANGUAGE_COOKIE)));
  const file = readFile(join(site.folder, name), 'utf8').catch(() => undefined);
  const [page, addTags] = await Promise.all([file, tags]);
  if (page === undefined) return c.html(NOT_BUILT, status === 404 ? 404 : 503);
  const html = addTags?.(page) ?? page;
  const settings = settingsOf(site);
  if (settings.length === 0) return c.html(html, status);
  return c.html(
    html.replace('</head>', () => `${settings.join('\n')}\n</head>`),
    status,
  );
}

/** Tags with the settings of this deployment that pages read. */
function settingsOf({ walletConnectProjectId, publicRpcUrl, demo }: SitePage): string[] {
  const running = demo?.();
  const settings = [
    [WALLETCONNECT_META, walletConnectProjectId],
    [PUBLIC_RPC_META, publicRpcUrl],
    [DEMO_META, running && JSON.stringify(tagOf(running))],
  ] as const;
  return settings.flatMap(([name, value]) =>
    value === undefined ? [] : [metaTag('name', name, value)],
  );
}

/** Fields of a demo that pages have: all except the keys. */
function tagOf({ chainId, accounts }: Demo): DemoTag {
  const people = accounts.map(({ role, name, address }) => ({ role, name, address }));
  return { chainId, people };
}

/** True if a browser requests a page; programs get JSON. */
export function wantsPage(c: Context<AppEnv>): boolean {
  const reads = c.req.method === 'GET' || c.req.method === 'HEAD';
  const html = c.req.header('accept')?.includes('text/html') === true;
  return reads && html && !c.req.path.startsWith('/v1/');
}

/**
 * Middleware that sets the headers of pages: only our own code, styles, fonts and images, and no frame around them.
 * Pages may connect to any RPC, because that is the user's choice. Uploaded images come from the public origin.
 */
export function siteHeaders({
  publicUrl,
  walletConnectProjectId,
}: Pick<AppDeps, 'publicUrl' | 'walletConnectProjectId'>): MiddlewareHandler<AppEnv> {
  const self = ["'self'"];
  const set = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: self,
      workerSrc: self,
      styleSrc: self,
      fontSrc: self,
      // Wallets announce their icons as data URIs (EIP-6963).
      imgSrc: [...self, publicUrl, 'data:'],
      connectSrc: [
        ...self,
        'http:',
        'https:',
        ...(walletConnectProjectId === undefined ? [] : [WALLETCONNECT_RELAY]),
      ],
      // Where wallets learn which site asks them.
      frameSrc: [walletConnectProjectId === undefined ? "'none'" : WALLETCONNECT_VERIFY],
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

/** Relay between pages and wallets on phones. */
const WALLETCONNECT_RELAY = 'wss://relay.walletconnect.org';
/** Frame through which wallets learn the origin of the page that asks them. */
const WALLETCONNECT_VERIFY = 'https://verify.walletconnect.org';

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Tributary</title></head>
<body>
<h1>Tributary</h1>
<p>The API is running. Its site was not built: <code>npm run build</code> builds it in a few seconds.</p>
<p>Meanwhile: <a href="/docs">the HTTP reference</a>, <a href="/v1/system/status">the status</a>.</p>
</body>
</html>
`;
