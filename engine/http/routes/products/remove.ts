import {
  type ProductDependants,
  productDependants,
  removeProduct,
} from '../../../db/commerce/remove-product.ts';
import { conflict, notFound } from '../../errors.ts';
import { removeFiles } from '../../files/store-upload.ts';
import type { Handler } from '../../handler-types.ts';
import { asOpenMerchant } from '../../resources/merchants/own-merchant.ts';

/** `products.remove`: deletes a draft of the caller that was never published and that nothing uses. */
export const remove: Handler<'products.remove'> = async ({ id }, deps, { merchant: address }) => {
  const files = await asOpenMerchant(deps.pool, address, async (sql) => {
    const found = await productDependants(sql, { merchant: address, productId: id });
    if (found === undefined) throw notFound(`You have no product ${id}.`);
    const reasons = reasonsToKeep(found);
    if (reasons.length > 0) {
      throw conflict(`The product ${id} cannot be deleted: ${reasons.join('; ')}.`);
    }
    return await removeProduct(sql, id);
  });
  await removeFiles(deps, files);
  return { data: { ok: true } };
};

function reasonsToKeep({ campaigns, drafts, isPublished }: ProductDependants) {
  return [
    ...(campaigns.length > 0 ? [`campaigns sell it (${campaigns.join(', ')})`] : []),
    ...(drafts.length > 0 ? [`drafts of campaigns name it (${drafts.join(', ')})`] : []),
    ...(isPublished ? ['it was published, so archive it instead'] : []),
  ];
}
