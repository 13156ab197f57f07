import { Hono } from 'hono';
import { readAsset } from '../../db/commerce/assets.ts';
import { namesTag } from '../cache/validators.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { notFound } from '../errors.ts';
import { networkAddress } from '../network-address.ts';
import type { FileSender } from './send-file.ts';

/** Seconds for which a copy may be cached: the bytes of an id never change. */
const CACHE_SECONDS = 31_536_000;

const ID = /^[A-Za-z0-9_-]{1,100}$/;

/**
 * Route `/media/:id`: uploaded images, public and for pages of any origin. They are served with the type of
 * their content, and no browser may guess another or run anything in them. Downloads are never served
 * here: only their buyers get them, through links that expire.
 */
export function mediaRoutes(deps: AppDeps, sender: FileSender): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get('/media/:id', async (c) => {
    await deps.limits.take('address', networkAddress(c, deps.trustedProxies));
    const id = c.req.param('id');
    const asset = ID.test(id) ? await readAsset(deps.pool, id) : undefined;
    if (asset?.kind !== 'image') throw notFound(`There is no image ${id}.`);
    const etag = `"${asset.sha256}"`;
    const headers = {
      etag,
      'cache-control': `public, max-age=${CACHE_SECONDS}, immutable`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
    };
    if (namesTag(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
    return await sender.send(c, {
      key: asset.key,
      size: asset.size,
      headers: {
        ...headers,
        'content-type': asset.contentType,
        'content-disposition': `inline; filename="${asset.id}.${asset.extension}"`,
      },
      missing: () => notFound(`There is no image ${id}.`),
    });
  });
  return app;
}
