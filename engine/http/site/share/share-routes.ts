import { Hono } from 'hono';
import { cardPathOf, pages, sharedPages } from '../../../contract/pages.ts';
import { namesTag } from '../../cache/validators.ts';
import type { AppEnv } from '../../context.ts';
import type { AppDeps } from '../../deps.ts';
import { notFound } from '../../errors.ts';
import { networkAddress } from '../../network-address.ts';
import { ShareCards } from './cards.ts';
import type { ShareSubjects } from './subjects.ts';

/** Seconds for which a card may be reused without asking: the amounts on it may be that old. */
const CACHE_SECONDS = 300;

/** Routes of share cards: `/share`, the path of a page, `.png`. */
export function shareRoutes(deps: AppDeps, subjects: ShareSubjects): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const cards = new ShareCards(deps);
  for (const page of sharedPages) {
    // A parameter of a route takes all up to the next slash: `.png` is cut off below.
    app.get(cardPathOf(pages[page]).replace(/[.]png$/, ''), async (c) => {
      const params = Object.entries<string>(c.req.param());
      const last = params.at(-1)?.[1] ?? '';
      const missing = notFound(`There is no share card ${c.req.path}.`);
      if (!last.endsWith('.png')) throw missing;
      const input = Object.fromEntries(
        params.map(([name, value]) => [name, value.replace(/[.]png$/, '')]),
      );
      const ip = networkAddress(c, deps.trustedProxies);
      const subject = await subjects.get({ page, input, ip });
      if (subject === undefined) throw missing;
      const { png, etag } = await cards.get(subject);
      const headers = {
        etag,
        'cache-control': `public, max-age=${CACHE_SECONDS}`,
        'content-security-policy': "default-src 'none'; sandbox",
        // Pages of other sites show the card: that is what it is for.
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      };
      if (namesTag(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
      return c.body(png, 200, { ...headers, 'content-type': 'image/png' });
    });
  }
  return app;
}
