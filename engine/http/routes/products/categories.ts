import { listCategories } from '../../../db/read/list-categories.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler.ts';

/** `products.categories`: what `campaigns.list` can be narrowed to. */
export const categories: Handler<'products.categories'> = async (_input, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => ({
    data: { items: await listCategories(snapshot) },
    chain: chainMeta(deployment, snapshot.head),
  }));
