import { z } from 'zod';
import { listMerchants } from '../../../db/read/merchants/list.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { merchantRef, publicMedia } from '../../render/product.ts';

const METHOD = 'merchants.list';
/** Name in lower case, which can be longer than the name, and address. */
const Position = z.tuple([z.string().max(300), z.string().regex(/^0x[0-9a-f]{40}$/)]);

/** `merchants.list`: merchants with a profile and a listed campaign, by name. */
export const list: Handler<'merchants.list'> = async (input, { pool, deployment }) => {
  const { q, live, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const after = position && { key: position[0], address: position[1] };
  return await readLedger(pool, async (snapshot) => {
    const { items, next } = await listMerchants(snapshot, { q, live, after, limit });
    return {
      data: {
        items: items.map(({ seller, logo, createdAt, ...counts }) => ({
          ...merchantRef(seller),
          logo: logo && publicMedia(logo),
          createdAt: createdAt.toISOString(),
          ...counts,
        })),
        nextCursor: next && encodeCursor(scope, [next.key, next.address]),
      },
      chain: chainMeta(deployment, snapshot.head),
    };
  });
};
