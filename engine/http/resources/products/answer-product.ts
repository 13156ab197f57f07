import type { z } from 'zod';
import type { OwnProduct } from '../../../contract/shapes/product-input.ts';
import type { Address } from '../../../core/events.ts';
import { productUses, unused } from '../../../db/read/products/campaigns.ts';
import { readOwnProduct } from '../../../db/read/products/own.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type MethodResult } from '../../handler-types.ts';
import { ownProduct } from '../../render/own-product.ts';

/** Response with a merchant's product and the campaigns that sell it at the settled block. */
export async function answerOwnProduct(
  { pool, deployment }: Pick<AppDeps, 'pool' | 'deployment'>,
  merchant: Address,
  id: string,
): Promise<MethodResult<z.infer<typeof OwnProduct>>> {
  return await readLedger(pool, async (snapshot) => {
    const product = await readOwnProduct(snapshot.sql, merchant, id);
    if (product === undefined) throw notFound(`You have no product ${id}.`);
    const uses = await productUses(snapshot, [id]);
    return {
      data: ownProduct(product, uses.get(id) ?? unused),
      chain: chainMeta(deployment, snapshot.head),
    };
  });
}
