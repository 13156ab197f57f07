import type { z } from 'zod';
import type { OwnProduct } from '../../contract/shapes/product-input.ts';
import { NOTHING_ASKED } from '../../core/buyer-details.ts';
import { missingParts } from '../../core/product.ts';
import type { ProductUse } from '../../db/read/products/campaigns.ts';
import type { OwnProduct as OwnProductView } from '../../db/read/products/own.ts';
import { variantSku } from '../../db/read/products/variant.ts';
import { describedProduct } from './product.ts';

/** Product as its merchant sees it. A download has no URL here: its buyers get links. */
export function ownProduct(product: OwnProductView, use: ProductUse): z.infer<typeof OwnProduct> {
  const { skuHash, token, deliverable, coverUrl } = product;
  return {
    ...describedProduct(product),
    merchantId: product.merchantId,
    token,
    skuHash,
    ...(deliverable === null ? {} : { deliverable }),
    variants: product.variants.map((variant) => ({
      id: variant.id,
      name: variant.name,
      priceBaseUnits: variant.priceBaseUnits,
      skuHash: variantSku(skuHash, variant),
    })),
    asks: product.asks ?? NOTHING_ASKED,
    status: product.status,
    missing: missingParts({ ...product, hasToken: token !== null }),
    coverId: product.media.find(({ url }) => url !== undefined && url === coverUrl)?.id ?? null,
    liveCampaignCount: use.liveCampaigns,
    usedBy: use.campaigns.map(({ campaignId, ownName, title, state, productVersion }) => ({
      campaignId,
      name: ownName ?? title,
      state,
      productVersion,
    })),
  };
}
