import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import { type Asset, readAsset } from '../../db/commerce/assets.ts';
import { orderSale } from '../../db/read/order-sale.ts';
import { readLedger } from '../../db/read/snapshot.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { NotFoundError } from '../errors.ts';
import { deliveryOf } from '../fulfillment.ts';
import { networkAddress } from '../network-address.ts';
import { type Download, readDownload } from './download-link.ts';

const GONE = 'There is nothing to download here any more: ask fulfillment.access for a new link.';

/**
 * Files that were bought at `/downloads/:token`, for whoever holds the link that `fulfillment.access`
 * signed. The link is no more than a promise: sale and file are looked up again, so a refund ends it
 * at once.
 */
export function downloadRoutes(deps: AppDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get('/downloads/:token', async (c) => {
    await deps.limits.take('address', networkAddress(c, deps.trustedProxies));
    const download = readDownload(deps, c.req.param('token'));
    const asset = download && (await boughtAsset(deps, download));
    if (asset === undefined) throw new NotFoundError(GONE);
    return await fileOf(c, deps, asset);
  });
  return app;
}

/** @returns `undefined` where the order has no sale any more that gives access to the file. */
async function boughtAsset(
  { pool }: AppDeps,
  { assetId, order }: Download,
): Promise<Asset | undefined> {
  return await readLedger(pool, async (snapshot) => {
    const sale = await orderSale(snapshot, order);
    if (sale === undefined || !deliveryOf(sale, snapshot.head).access.available) return undefined;
    const asset = await readAsset(snapshot.sql, assetId);
    return asset?.merchantId === sale.seller.profile?.id ? asset : undefined;
  });
}

/** The bytes as a file to save: whatever they are, no browser shows or runs them. */
async function fileOf(c: Context<AppEnv>, { files }: AppDeps, asset: Asset): Promise<Response> {
  if (!(await files.exists(asset.key))) throw new NotFoundError(GONE);
  const headers = {
    'cache-control': 'private, no-store',
    'content-type': asset.contentType,
    'content-length': String(asset.size),
    'content-disposition': `attachment; filename="${asset.id}.${asset.extension}"`,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; sandbox",
    'referrer-policy': 'no-referrer',
  };
  // Hono asks for the headers alone by a GET without a reader.
  if (c.req.method === 'HEAD') return c.body(null, 200, headers);
  // Node's own type of the same web stream.
  const bytes = Readable.toWeb(await files.getStream(asset.key)) as ReadableStream<Uint8Array>;
  return c.body(bytes, 200, headers);
}
