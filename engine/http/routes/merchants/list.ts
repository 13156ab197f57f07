import { z } from 'zod';
import { listMerchants } from '../../../db/read/merchants/list.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorAddress, ListPage } from '../../input/cursor.ts';
import { merchantRef, publicMedia } from '../../render/product.ts';

/** Name in lower case, which can be longer than the name, and address. */
const position = { key: z.string().max(300), address: cursorAddress };

/** `merchants.list`: merchants with a profile and a listed campaign, by name. */
export const list: Handler<'merchants.list'> = async (input, { pool, deployment }) => {
  const { q, live } = input;
  const page = new ListPage('merchants.list', input, position);
  const { after, limit } = page;
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
        nextCursor: page.cursor(next),
      },
      chain: chainMeta(deployment, snapshot.head),
    };
  });
};
