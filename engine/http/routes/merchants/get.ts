import { getMerchant } from '../../../db/read/merchants/get.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { merchantProfile } from '../../render/merchant.ts';

/** `merchants.get`: a profile, or the data that the chain has about an address. */
export const get: Handler<'merchants.get'> = async ({ slug }, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => {
    const merchant = await getMerchant(snapshot, slug);
    if (merchant === undefined) throw notFound(`There is no merchant ${slug}.`);
    return { data: merchantProfile(merchant), chain: chainMeta(deployment, snapshot.head) };
  });
