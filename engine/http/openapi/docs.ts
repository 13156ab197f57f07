import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { pathOf } from '../../contract/pages.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { HSTS, security } from '../security.ts';
import { openApiDocument } from './document.ts';
import { serveDocument } from './serve-document.ts';

/** Files of the reference page's package, with their content types. */
const assets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tributary: HTTP reference</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<p class="back"><a href="${pathOf('home')}">Back to Tributary</a></p>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** The theme is the one that the reader chose on the site (`web/public/early.js`), otherwise that of the browser. */
const START = `let theme;
try { theme = localStorage.getItem('tributary.theme'); } catch { /* Storage is switched off. */ }
const isDark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.classList.toggle('dark-mode', isDark);
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
});
`;

const STYLE = `body { margin: 0; }
.back { margin: 0; padding: 12px 20px; font: 16px system-ui, sans-serif; }
.back a { color: #0b5f56; }
html.dark-mode .back a { color: #6ccfbd; }
`;

/**
 * Routes of the OpenAPI document, `/openapi.json`, and of its reference page, `/docs`. All files of the page
 * come from an installed package, so it works without internet access.
 */
export function docsRoutes({
  enabled,
  allowedOrigins,
}: Pick<AppDeps, 'enabled' | 'allowedOrigins'>): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use('/docs/*', pageHeaders());
  app.get('/docs', (c) => c.html(PAGE));
  app.get('/docs/start.js', (c) => c.body(START, 200, { 'content-type': 'text/javascript' }));
  app.get('/docs/page.css', (c) => c.body(STYLE, 200, { 'content-type': 'text/css' }));
  for (const [name, type] of Object.entries(assets)) {
    app.get(`/docs/${name}`, async (c) =>
      c.body(await asset(name), 200, {
        'content-type': type,
        'cache-control': 'public, max-age=3600',
      }),
    );
  }
  // Data, not a page: every site may read it, as every public read.
  app.use(
    '/openapi.json',
    security(allowedOrigins, () => true),
  );
  app.get(
    '/openapi.json',
    serveDocument(() => openApiDocument(enabled)),
  );
  return app;
}

/** Headers of a page that uses only our own files: no inline script or style, no other host, no frame. */
function pageHeaders() {
  const self = ["'self'"];
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: self,
      styleSrc: self,
      // The arrows of its menus are images in its style sheet.
      imgSrc: [...self, 'data:'],
      connectSrc: self,
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
    strictTransportSecurity: HSTS,
    referrerPolicy: 'no-referrer',
    xFrameOptions: 'DENY',
  });
}

const require = createRequire(import.meta.url);
const cachedAssets = new Map<string, Uint8Array<ArrayBuffer>>();

/** File of the package, read once and cached. */
async function asset(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const found = cachedAssets.get(name);
  if (found) return found;
  const home = dirname(require.resolve('swagger-ui-dist/package.json'));
  const bytes = new Uint8Array(await readFile(join(home, name)));
  cachedAssets.set(name, bytes);
  return bytes;
}
