import { z } from 'zod';
import { readLedger } from '../../../db/read/snapshot.ts';
import { productVersions } from '../../../db/read/versions/read.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';

const METHOD = 'versions.list';
const Position = z.tuple([cursorId]);

/** `versions.list`: published versions of a product, newest first. */
export const list: Handler<'versions.list'> = async (input, { pool, deployment }) => {
  const { id, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const below = decodeCursor(scope, Position)?.[0];
  return await readLedger(pool, async (snapshot) => {
    const found = await productVersions(snapshot, id, { below, limit: limit + 1 });
    if (found.length === 0 && below === undefined) throw notFound(`There is no product ${id}.`);
    const { items, nextCursor } = pageOf(found, limit, scope, ({ product }) => [
      String(product.version),
    ]);
    const data = items.map(({ product, status, savedAt }) => ({
      version: product.version,
      savedAt: savedAt.toISOString(),
      title: product.title,
      category: product.category,
      priceBaseUnits: product.price.toString(),
      status,
    }));
    return { data: { items: data, nextCursor }, chain: chainMeta(deployment, snapshot.head) };
  });
};
