import { listCategories } from '../../../db/read/products/categories.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';

/** `products.categories`: categories that `campaigns.list` can filter by. */
export const categories: Handler<'products.categories'> = async (_input, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => ({
    data: { items: await listCategories(snapshot) },
    chain: chainMeta(deployment, snapshot.head),
  }));
