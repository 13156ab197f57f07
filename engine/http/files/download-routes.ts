import { Hono } from 'hono';
import { type Asset, readAsset, readOwnAsset } from '../../db/commerce/assets.ts';
import { orderSale } from '../../db/read/sales/by-order.ts';
import { readLedger } from '../../db/read/snapshot.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { notFound } from '../errors.ts';
import { networkAddress } from '../network-address.ts';
import { deliveryOf } from '../resources/fulfillment/fulfillment.ts';
import { type Download, readDownload } from './download-link.ts';
import { readOwnFile } from './own-file-link.ts';
import type { FileSender, StoredFile } from './send-file.ts';

const GONE = 'This download is no longer available: get a new link from fulfillment.access.';

/**
 * Route `/downloads/:token`: purchased files, for anyone who has the link that `fulfillment.access` signed.
 * Each use looks up the sale and the file again, so a refund ends the access immediately. Links of `account.export`
 * are to files that a merchant uploaded itself.
 */
export function downloadRoutes(deps: AppDeps, sender: FileSender): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get('/downloads/:token', async (c) => {
    await deps.limits.take('address', networkAddress(c, deps.trustedProxies));
    const token = c.req.param('token');
    const download = readDownload(deps, token);
    const own = readOwnFile(deps, token);
    const bought = download && (await boughtAsset(deps, download));
    const asset = bought ?? (own && (await readOwnAsset(deps.pool, own)));
    if (asset === undefined) throw notFound(GONE);
    return await sender.send(c, fileOf(asset));
  });
  return app;
}

/** Purchased file; `undefined` if the order no longer has a sale that gives access to it. */
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

/** Response with the bytes as a file to save: no browser shows or runs them. */
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
  return { key, size, headers, missing: () => notFound(GONE) };
}
