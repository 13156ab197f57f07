import { getMerchant } from '../../../db/read/get-merchant.ts';
import { merchantRecord } from '../../../db/read/merchant-record.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { merchantRecordOf } from '../../render/merchant.ts';

/** `merchants.record`: what the ledger says of a merchant's sales, over all its campaigns. */
export const record: Handler<'merchants.record'> = async ({ slug }, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => {
    const merchant = await getMerchant(snapshot, slug);
    if (merchant === undefined) throw new NotFoundError(`There is no merchant ${slug}.`);
    const found = await merchantRecord(snapshot, merchant.address);
    return {
      data: merchantRecordOf(merchant, found),
      chain: chainMeta(deployment, snapshot.head, found.newestBlock ?? undefined),
    };
  });
