import { z } from 'zod';
import { productUses, unused } from '../../../db/read/products/campaigns.ts';
import { listOwnProducts } from '../../../db/read/products/own.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorMicroseconds, cursorText, decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { ownProduct } from '../../render/own-product.ts';

const Position = z.tuple([cursorMicroseconds, cursorText]);

/** `products.list`: the caller's products in any status; empty for an account without a profile. */
export const list: Handler<'products.list'> = async (input, { pool, deployment }, { merchant }) => {
  const { status, q, limit = PAGE_LIMIT } = input;
  const scope = { method: 'products.list', input };
  const position = decodeCursor(scope, Position);
  const after = position && { changedAt: position[0], id: position[1] };
  return await readLedger(pool, async (snapshot) => {
    const found = { status, q, after, limit };
    const page = await listOwnProducts(snapshot.sql, merchant, found);
    const uses = await productUses(
      snapshot,
      page.items.map(({ id }) => id),
    );
    const items = page.items.map((product) => ownProduct(product, uses.get(product.id) ?? unused));
    const nextCursor = page.next && encodeCursor(scope, [page.next.changedAt, page.next.id]);
    return { data: { items, nextCursor }, chain: chainMeta(deployment, snapshot.head) };
  });
};
