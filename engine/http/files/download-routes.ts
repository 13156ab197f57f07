import { Hono } from 'hono';
import { type Asset, readAsset } from '../../db/commerce/assets.ts';
import { orderSale } from '../../db/read/order-sale.ts';
import { readLedger } from '../../db/read/snapshot.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { NotFoundError } from '../errors.ts';
import { deliveryOf } from '../fulfillment.ts';
import { networkAddress } from '../network-address.ts';
import { type Download, readDownload } from './download-link.ts';
import type { FileSender, StoredFile } from './send-file.ts';

const GONE = 'There is nothing to download here any more: ask fulfillment.access for a new link.';

/**
 * Files that were bought at `/downloads/:token`, for whoever holds the link that `fulfillment.access`
 * signed. The link is no more than a promise: sale and file are looked up again, so a refund ends it
 * at once.
 */
export function downloadRoutes(deps: AppDeps, sender: FileSender): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get('/downloads/:token', async (c) => {
    await deps.limits.take('address', networkAddress(c, deps.trustedProxies));
    const download = readDownload(deps, c.req.param('token'));
    const asset = download && (await boughtAsset(deps, download));
    if (asset === undefined) throw new NotFoundError(GONE);
    return await sender.send(c, fileOf(asset));
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
function fileOf({ id, key, size, contentType, extension }: Asset): StoredFile {
  const headers = {
    'cache-control': 'private, no-store',
    'content-type': contentType,
    'content-disposition': `attachment; filename="${id}.${extension}"`,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; sandbox",
    'referrer-policy': 'no-referrer',
  };
  return { key, size, headers, missing: () => new NotFoundError(GONE) };
}
