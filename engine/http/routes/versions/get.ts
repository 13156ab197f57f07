import { variantSku } from '../../../db/read/products/variant.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { productVersions } from '../../../db/read/versions/read.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { productOf } from '../../render/product.ts';

/** `versions.get`: a product as it was in one version. */
export const get: Handler<'versions.get'> = async ({ id, version }, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => {
    const [found] = await productVersions(snapshot, id, { only: version, limit: 1 });
    if (found === undefined || found.token === null) {
      throw notFound(`There is no version ${version} of the product ${id}.`);
    }
    const { product, seller, skuHash, status, savedAt, token } = found;
    const sold = { campaignId: '', seller, product, skuHash, price: product.price, token };
    const { updatedAt: _updatedAt, ...shown } = productOf(sold);
    return {
      data: {
        ...shown,
        variants: product.variants.map((variant) => ({
          id: variant.id,
          name: variant.name,
          priceBaseUnits: variant.priceBaseUnits,
          skuHash: variantSku(skuHash, variant),
        })),
        status,
        savedAt: savedAt.toISOString(),
      },
      chain: chainMeta(deployment, snapshot.head),
    };
  });
