import { getMerchant } from '../../../db/read/get-merchant.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { merchantProfile } from '../../render/merchant.ts';

/** `merchants.get`: a profile, or what the chain knows of an address. */
export const get: Handler<'merchants.get'> = async ({ slug }, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => {
    const merchant = await getMerchant(snapshot, slug);
    if (merchant === undefined) throw new NotFoundError(`There is no merchant ${slug}.`);
    return { data: merchantProfile(merchant), chain: chainMeta(deployment, snapshot.head) };
  });
