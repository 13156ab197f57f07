import { variantOfSku } from '../../db/read/products/variant.ts';
import type { SaleView } from '../../db/read/sales/rows.ts';
import { soldProduct } from './product.ts';

/** Product, version and variant that a sale sold. */
export function soldVersion(sale: SaleView) {
  const { campaignId, seller, product, campaignSkuHash, skuHash } = sale;
  return {
    product: { ...soldProduct({ campaignId, seller, product, skuHash: campaignSkuHash }), skuHash },
    productVersion: product?.version ?? null,
    variant: variantOfSku(campaignSkuHash, product?.variants ?? [], skuHash),
  };
}
