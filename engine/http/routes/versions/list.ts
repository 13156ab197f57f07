import { readLedger } from '../../../db/read/snapshot.ts';
import { productVersions } from '../../../db/read/versions/read.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';

/** `versions.list`: published versions of a product, newest first. */
export const list: Handler<'versions.list'> = async (input, { pool, deployment }) => {
  const { id } = input;
  const page = new ListPage('versions.list', input, { version: cursorId });
  const { after, limit } = page.query;
  return await readLedger(pool, async (snapshot) => {
    const found = await productVersions(snapshot, id, { below: after?.version, limit });
    if (found.length === 0 && after === undefined) throw notFound(`There is no product ${id}.`);
    const rows = page.of(found, ({ product: { version } }) => ({ version }));
    const data = mapItems(rows, ({ product, status, savedAt }) => ({
      version: product.version,
      savedAt: savedAt.toISOString(),
      title: product.title,
      category: product.category,
      priceBaseUnits: product.price.toString(),
      status,
    }));
    return { data, chain: chainMeta(deployment, snapshot.head) };
  });
};
