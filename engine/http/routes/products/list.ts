import { z } from 'zod';
import { listOwnProducts } from '../../../db/read/own-products.ts';
import { productUses, unused } from '../../../db/read/product-campaigns.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { cursorMicroseconds, cursorText, encodeCursor, placeOf } from '../../cursor.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { ownProduct } from '../../render/own-product.ts';

const Place = z.tuple([cursorMicroseconds, cursorText]);

/** `products.list`: in whatever status; empty for an account that has no profile. */
export const list: Handler<'products.list'> = async (input, { pool, deployment }, { session }) => {
  const { status, q, limit = PAGE_LIMIT } = input;
  const place = placeOf('products.list', input, Place);
  const after = place && { changedAt: place[0], id: place[1] };
  return await readLedger(pool, async (snapshot) => {
    const found = { status, q, after, limit };
    const page = await listOwnProducts(snapshot.sql, session.address, found);
    const uses = await productUses(
      snapshot,
      page.items.map(({ id }) => id),
    );
    const items = page.items.map((product) => ownProduct(product, uses.get(product.id) ?? unused));
    const scope = { method: 'products.list', input };
    const nextCursor = page.next && encodeCursor(scope, [page.next.changedAt, page.next.id]);
    return { data: { items, nextCursor }, chain: chainMeta(deployment, snapshot.head) };
  });
};
