import type { z } from 'zod';
import type { OwnProduct } from '../../contract/shapes/product-input.ts';
import type { Address } from '../../core/events.ts';
import { readOwnProduct } from '../../db/read/own-products.ts';
import { productUses, unused } from '../../db/read/product-campaigns.ts';
import { readLedger } from '../../db/read/snapshot.ts';
import type { AppDeps } from '../deps.ts';
import { NotFoundError } from '../errors.ts';
import { type Answer, chainMeta } from '../handler.ts';
import { ownProduct } from '../render/own-product.ts';

/** A product of a merchant, with what sells it at the settled block. */
export async function answerOwnProduct(
  { pool, deployment }: Pick<AppDeps, 'pool' | 'deployment'>,
  merchant: Address,
  id: string,
): Promise<Answer<z.infer<typeof OwnProduct>>> {
  return await readLedger(pool, async (snapshot) => {
    const product = await readOwnProduct(snapshot.sql, merchant, id);
    if (product === undefined) throw new NotFoundError(`You have no product ${id}.`);
    const uses = await productUses(snapshot, [id]);
    return {
      data: ownProduct(product, uses.get(id) ?? unused),
      chain: chainMeta(deployment, snapshot.head),
    };
  });
}
