import { getMerchant } from '../../../db/read/merchants/get.ts';
import { merchantRecord } from '../../../db/read/merchants/record.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { merchantRecordOf } from '../../render/merchant.ts';

/** `merchants.record`: track record of a merchant over all its campaigns. */
export const record: Handler<'merchants.record'> = async ({ slug }, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => {
    const merchant = await getMerchant(snapshot, slug);
    if (merchant === undefined) throw notFound(`There is no merchant ${slug}.`);
    const found = await merchantRecord(snapshot, merchant.address);
    return {
      data: merchantRecordOf(merchant, found),
      chain: chainMeta(deployment, snapshot.head, found.newestBlock ?? undefined),
    };
  });
