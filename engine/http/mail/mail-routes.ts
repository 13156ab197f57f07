import { type Context, Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { networkAddress } from '../network-address.ts';
import {
  confirmByToken,
  DEAD_LINK,
  unsubscribeByToken,
} from '../resources/notifications/mail-links.ts';
import { HSTS } from '../security.ts';

/** A page behind a link of a mail. */
interface Page {
  readonly path: '/mail/confirm' | '/mail/unsubscribe';
  readonly title: string;
  readonly button: string;
  /** Does what the button says. @returns what to show. */
  readonly act: (deps: AppDeps, token: string) => Promise<string>;
}

const pages: readonly Page[] = [
  {
    path: '/mail/confirm',
    title: 'Confirm your e-mail address',
    button: 'Confirm',
    act: async (deps, token) =>
      (await confirmByToken(deps, token)) ? 'Your address is confirmed.' : DEAD_LINK,
  },
  {
    path: '/mail/unsubscribe',
    title: 'Stop e-mails of this account',
    button: 'Stop them',
    act: async (deps, token) => {
      await unsubscribeByToken(deps, token);
      return 'No more e-mails of this account are sent to your address.';
    },
  },
];

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Pages behind the links of mails, `/mail/confirm` and `/mail/unsubscribe`. Opening one changes nothing, because
 * programs that check mails open links; its button does, with a POST. That is also the POST with which mail
 * programs unsubscribe (RFC 8058). They need no session: the token of the link is the permission.
 */
export function mailRoutes(deps: AppDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  if (!deps.enabled.has('notifications')) return app;
  app.use('/mail/*', pageHeaders, async (c, next) => {
    await deps.limits.take('address', networkAddress(c, deps.trustedProxies));
    c.header('cache-control', 'no-store');
    await next();
  });
  for (const page of pages) {
    const { path, title, button, act } = page;
    app.get(path, (c) => show(c, title, `<form method="post"><button>${button}</button></form>`));
    app.post(path, async (c) => {
      const token = c.req.query('token') ?? '';
      const message = TOKEN.test(token) ? await act(deps, token) : 'This link is not complete.';
      return show(c, title, `<p>${message}</p>`);
    });
  }
  return app;
}

/** A page without anything that a request said. */
function show(c: Context<AppEnv>, title: string, content: string): Response | Promise<Response> {
  return c.html(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`);
}

const pageHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  strictTransportSecurity: HSTS,
  // The address of the page has the token in it.
  referrerPolicy: 'no-referrer',
  xFrameOptions: 'DENY',
});
