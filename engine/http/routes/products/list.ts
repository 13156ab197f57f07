import { productUses, unused } from '../../../db/read/products/campaigns.ts';
import { listOwnProducts } from '../../../db/read/products/own.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorMicroseconds, cursorText, ListPage } from '../../input/cursor.ts';
import { ownProduct } from '../../render/own-product.ts';

const position = { changedAt: cursorMicroseconds, id: cursorText };

/** `products.list`: the caller's products in any status; empty for an account without a profile. */
export const list: Handler<'products.list'> = async (input, { pool, deployment }, { merchant }) => {
  const { status, q } = input;
  const list = new ListPage('products.list', input, position);
  const { after, limit } = list;
  return await readLedger(pool, async (snapshot) => {
    const found = { status, q, after, limit };
    const page = await listOwnProducts(snapshot.sql, merchant, found);
    const uses = await productUses(
      snapshot,
      page.items.map(({ id }) => id),
    );
    const items = page.items.map((product) => ownProduct(product, uses.get(product.id) ?? unused));
    const nextCursor = list.cursor(page.next);
    return { data: { items, nextCursor }, chain: chainMeta(deployment, snapshot.head) };
  });
};
