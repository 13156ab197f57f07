import type { z } from 'zod';
import type { fulfillment } from '../../../contract/resources/fulfillment.ts';
import { readAsset } from '../../../db/commerce/assets.ts';
import { readDeliverable } from '../../../db/read/sales/deliverable.ts';
import { getSale, type SaleWithPolicy } from '../../../db/read/sales/receipt.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { notFound } from '../../errors.ts';
import { DOWNLOAD_MS, downloadUrl } from '../../files/download-link.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { timeOrNull } from '../../render/time.ts';
import { type Delivery, deliveryOf } from '../../resources/fulfillment/fulfillment.ts';

type Deliverables = Pick<
  z.infer<(typeof fulfillment)['access']['output']>,
  'downloads' | 'externalUrl' | 'instructions'
>;

const NOTHING: Deliverables = { downloads: [], externalUrl: null, instructions: null };

/** `fulfillment.access`: the purchased product, only for the buyer of the sale. */
export const access: Handler<'fulfillment.access'> = async ({ saleId }, deps, { account }) =>
  await readLedger(deps.pool, async (snapshot) => {
    const sale = await getSale(snapshot, saleId);
    if (sale === undefined || sale.buyer !== account) {
      throw notFound(`You have no purchase ${saleId}.`);
    }
    const delivery = deliveryOf(sale, snapshot.head);
    const { mode, timing } = delivery;
    const { available, availableFrom } = delivery.access;
    const deliverables = available ? await deliverablesOf(snapshot, deps, sale, delivery) : NOTHING;
    const data = {
      saleId: sale.saleId,
      mode,
      accessTiming: timing,
      available,
      availableFrom: timeOrNull(availableFrom),
      ...deliverables,
    };
    return {
      data,
      chain: chainMeta(deps.deployment, snapshot.head, sale.newestBlock, sale.campaignId),
    };
  });

/** Deliverable in the form of its mode: a file of this service, an external URL, or instructions. */
async function deliverablesOf(
  { sql }: Snapshot,
  deps: AppDeps,
  sale: SaleWithPolicy,
  { mode }: Delivery,
): Promise<Deliverables> {
  const deliverable = sale.product && (await readDeliverable(sql, sale.product));
  if (deliverable === null) return NOTHING;
  if (mode === 'manual') return { ...NOTHING, instructions: deliverable };
  if (isWebAddress(deliverable)) return { ...NOTHING, externalUrl: deliverable };
  if (mode === 'external') return { ...NOTHING, instructions: deliverable };
  const asset = await readAsset(sql, deliverable);
  if (asset === undefined || asset.merchantId !== sale.seller.profile?.id) return NOTHING;
  const expiresAt = deps.clock() + DOWNLOAD_MS;
  const download = {
    mediaId: asset.id,
    size: asset.size,
    sha256: asset.sha256,
    url: downloadUrl(deps, { assetId: asset.id, order: sale }, expiresAt),
    expiresAt: new Date(expiresAt).toISOString(),
  };
  return { ...NOTHING, downloads: [download] };
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
